// Puts the passes together: one main pass, then where and hints only when something is outside the
// element bound.
#include "compare/compare_tensors.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "compare/hints.h"
#include "compare/main_pass.h"
#include "compare/where.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::TensorView;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

tensor::Shape indexed_shape(const TensorView& view) {
  tensor::Shape shape = view.shape;
  if (tensor::is_complex(view.dtype)) shape.push_back(2);
  return shape;
}

/// A run of equal elements equals itself moved by one element; memcmp leaves at the first
/// difference.
bool is_constant(const TensorView& view) {
  const std::size_t element = tensor::size_bytes(view.dtype);
  if (view.bytes.size() < 2 * element) return false;
  return std::memcmp(view.bytes.data(), view.bytes.data() + element, view.bytes.size() - element) ==
         0;
}

void set_norms(const TensorSums& sums, TensorComparison& facts) {
  const bool equal = sums.difference_squared.mantissa == 0;
  const bool reference_zero = sums.reference_squared.mantissa == 0;
  const bool candidate_zero = sums.candidate_squared.mantissa == 0;
  if (!equal) {
    facts.nrmse =
        reference_zero ? kInfinity : root_of_ratio(sums.difference_squared, sums.reference_squared);
    facts.cosine = reference_zero || candidate_zero
                       ? 0
                       : cosine_of(sums.product, sums.reference_squared, sums.candidate_squared);
  }
  if (facts.classes.finite == 0) return;
  const auto finite = static_cast<double>(facts.classes.finite);
  facts.reference_rms = root_of_ratio(sums.reference_squared, WideReal{finite, 0});
  WideReal mean = sums.difference;
  mean.mantissa /= finite;
  facts.absolute.mean_signed = to_double(mean);
  if (facts.absolute.max > 0) {
    facts.max_error_over_rms =
        reference_zero ? kInfinity : facts.absolute.max / facts.reference_rms;
  }
}

void set_distributions(const Tally& tally, tensor::DType ulp_dtype, TensorComparison& facts) {
  facts.ulp.dtype = ulp_dtype;
  facts.ulp.max = tally.max_ulp;
  facts.ulp.histogram = ulp_histogram(tally.ulp, ulp_dtype);
  facts.ulp.quantiles = quantiles(facts.ulp.histogram, UpperEdge::inclusive_integer,
                                  static_cast<double>(tally.max_ulp));
  facts.relative.max = tally.max_relative;
  facts.relative.histogram = relative_histogram(tally.relative);
  facts.relative.quantiles =
      quantiles(facts.relative.histogram, UpperEdge::next_edge, tally.max_relative);
}

void set_worst(const PairSource& source, const WorstList& worst, const tensor::Shape& shape,
               TensorComparison& facts) {
  for (const WorstEntry& entry : worst.sorted()) {
    Pair pair;
    source.read(entry.index, std::span<Pair>(&pair, 1));
    const PairBits bits = source.bits(entry.index);
    facts.worst.push_back({tensor::unravel(entry.index, shape), pair.reference, pair.candidate,
                           bits.reference, bits.candidate});
  }
}

/// False only when the main pass has shown that every pair is inside.
bool may_be_outside(const TensorComparison& facts, const AbsoluteBound& bound) {
  const ClassCounts& classes = facts.classes;
  const bool one_sided = classes.nan_reference_only + classes.nan_candidate_only +
                             classes.inf_opposite + classes.inf_reference_only +
                             classes.inf_candidate_only >
                         0;
  return one_sided || !(facts.absolute.max <= bound.absolute);
}

}  // namespace

TensorComparison compare_tensors(Reference<TensorView> reference, Candidate<TensorView> candidate,
                                 const CompareOptions& options) {
  if (reference.value.shape != candidate.value.shape) {
    throw Error(ErrorKind::incompatible, "a reference of shape " +
                                             tensor::to_string(reference.value.shape) +
                                             " cannot be compared with a candidate of shape " +
                                             tensor::to_string(candidate.value.shape));
  }
  const auto source = make_pair_source(reference, candidate);
  const tensor::Shape shape = indexed_shape(reference.value);
  const auto worst_count =
      static_cast<std::size_t>(options.worst_count < 0 ? 0 : options.worst_count);
  const MainPass pass = run_main_pass(reference, candidate, *source, worst_count, options.threads);

  TensorComparison facts;
  facts.reference_dtype = reference.value.dtype;
  facts.candidate_dtype = candidate.value.dtype;
  facts.shape = reference.value.shape;
  facts.elements = source->elements();
  facts.classes = pass.tally.classes;
  facts.absolute.max = pass.tally.max_absolute;
  set_distributions(pass.tally, source->ulp_dtype(), facts);
  set_norms(pass.sums, facts);
  set_worst(*source, pass.tally.worst, shape, facts);
  if (facts.elements > 0) {
    facts.exact_share =
        static_cast<double>(facts.classes.equal_bits) / static_cast<double>(facts.elements);
    facts.reference_all_nan =
        facts.classes.both_nan + facts.classes.nan_reference_only == facts.elements;
  }
  facts.reference_constant = is_constant(reference.value);

  const AbsoluteBound bound{options.element_bound.relative,
                            options.element_bound.of_rms * facts.reference_rms};
  if (may_be_outside(facts, bound)) {
    OutsideElements outside =
        find_outside(*source, shape, bound, facts.absolute.max, options.threads);
    facts.where = std::move(outside.where);
    if (!outside.sample.empty()) facts.hints = find_hints(*source, shape, outside.sample);
  }
  return facts;
}

}  // namespace parity::compare

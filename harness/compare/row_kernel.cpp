// Kernels for rows of logits: block by block through the first-level cache, first for the best
// tokens of each side, then for both softmaxes at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/row_kernel.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/row_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/add_softmax-inl.h"
#include "compare/best_tokens-inl.h"
#include "compare/row_values-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

HWY_INLINE std::size_t block_size(std::size_t first, std::size_t vocabulary) {
  return vocabulary - first < kRowBlock ? vocabulary - first : kRowBlock;
}

HWY_INLINE const float* block_of(const LogitsRow& row, std::size_t first, std::size_t count,
                                 float* room) {
  return float_block(row, first, count, room);
}
HWY_INLINE const double* block_of(const LogitsRow& row, std::size_t first, std::size_t count,
                                  double* room) {
  return double_block(row, first, count, room);
}

template <typename T>
HWY_INLINE bool offer_row(const LogitsRow& row, BestTokens& best) {
  alignas(64) T room[kRowBlock];
  for (std::size_t first = 0; first < row.vocabulary; first += kRowBlock) {
    const std::size_t count = block_size(first, row.vocabulary);
    if (nothing_new_in_halves(row, first, count, best)) continue;
    if (!offer_block(block_of(row, first, count, room), first, count, best)) return false;
  }
  return true;
}

bool FindBestTokens(const LogitsRow& row, BestTokens& best) {
  return row.kind == RowKind::float64 ? offer_row<double>(row, best) : offer_row<float>(row, best);
}

template <typename R, typename C>
HWY_INLINE void add_rows(const LogitsRow& reference, const LogitsRow& candidate, Largest largest,
                         SoftmaxSums& sums) {
  alignas(64) R reference_room[kRowBlock];
  alignas(64) C candidate_room[kRowBlock];
  for (std::size_t first = 0; first < reference.vocabulary; first += kRowBlock) {
    const std::size_t count = block_size(first, reference.vocabulary);
    const R* r = block_of(reference, first, count, reference_room);
    const C* c = block_of(candidate, first, count, candidate_room);
    add_softmax(Block<R, C>{r, c, padded(count), largest}, sums);
  }
}

void AddSoftmaxes(const LogitsRow& reference, const LogitsRow& candidate, double reference_largest,
                  double candidate_largest, SoftmaxSums& sums) {
  const Largest largest{reference_largest, candidate_largest};
  const bool wide_reference = reference.kind == RowKind::float64;
  const bool wide_candidate = candidate.kind == RowKind::float64;
  if (!wide_reference && !wide_candidate) {
    add_rows<float, float>(reference, candidate, largest, sums);
  } else if (!wide_reference) {
    add_rows<float, double>(reference, candidate, largest, sums);
  } else if (!wide_candidate) {
    add_rows<double, float>(reference, candidate, largest, sums);
  } else {
    add_rows<double, double>(reference, candidate, largest, sums);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {

HWY_EXPORT(FindBestTokens);
HWY_EXPORT(AddSoftmaxes);

namespace {

RowKind kind_of(tensor::DType dtype) {
  switch (dtype) {
    case tensor::DType::float32:
      return RowKind::float32;
    case tensor::DType::bfloat16:
      return RowKind::bfloat16;
    case tensor::DType::float16:
      return RowKind::float16;
    case tensor::DType::float64:
      return RowKind::float64;
    default:
      return RowKind::other;
  }
}

double total(const LaneSum& lanes) {
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/// Whether a probability is more than nothing in float64.
bool has_mass(double below_largest, double log_total) {
  return std::exp(below_largest - log_total) > 0;
}

// With P and Q the totals of p' and q', log(Q/P) is by how much more the candidate's softmax
// divides: KL(p || q) = log(Q/P) - sum(p' change) / P and KL(q || p) = sum(q' change) / Q -
// log(Q/P). Where the sides are close, log1p of the sum of q' - p' keeps what is small.
SoftmaxDistance distance_of(const SoftmaxSums& sums) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double p = total(sums.p);
  const double q = total(sums.q);
  const double grown = total(sums.grown);
  const double shift = std::abs(grown) <= p / 2 ? std::log1p(grown / p) : std::log(q / p);
  SoftmaxDistance result;
  // Rounding can leave a sum just below zero, which no divergence is.
  result.kl = std::max(shift - total(sums.p_change) / p, 0.0);
  result.kl_reverse = std::max(total(sums.q_change) / q - shift, 0.0);
  if (has_mass(sums.best_p_alone, std::log(p))) result.kl = kInfinity;
  if (has_mass(sums.best_q_alone, std::log(q))) result.kl_reverse = kInfinity;
  result.max_logprob_change =
      std::max({0.0, sums.highest_change - shift, shift - sums.lowest_change});
  return result;
}

}  // namespace

LogitsRow row_of(const tensor::TensorView& logits, std::uint64_t row) {
  const std::size_t element_bytes = tensor::size_bytes(logits.dtype);
  const auto vocabulary = static_cast<std::size_t>(logits.shape.back());
  return {kind_of(logits.dtype), logits.bytes.data() + row * vocabulary * element_bytes,
          element_bytes, vocabulary, value_reader(logits.dtype)};
}

void BestTokens::offer(double logit, std::size_t index) {
  if (full() && !(logit > worst())) return;
  const auto place =
      std::upper_bound(tokens_.begin(), tokens_.end(), logit,
                       [](double value, const Token& token) { return value > token.logit; });
  tokens_.insert(place, Token{logit, index});
  if (tokens_.size() > room_) tokens_.pop_back();
}

double BestTokens::gap() const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  return tokens_[0].logit - (tokens_.size() > 1 ? tokens_[1].logit : kNone);
}

bool find_best_tokens(const LogitsRow& row, BestTokens& best) {
  best.clear();
  return HWY_DYNAMIC_DISPATCH(FindBestTokens)(row, best) && !best.tokens().empty() &&
         std::isfinite(best.tokens().front().logit);
}

SoftmaxDistance softmax_distance(Reference<LogitsRow> reference, Candidate<LogitsRow> candidate,
                                 Reference<double> reference_largest,
                                 Candidate<double> candidate_largest) {
  SoftmaxSums sums;
  HWY_DYNAMIC_DISPATCH(AddSoftmaxes)
  (reference.value, candidate.value, reference_largest.value, candidate_largest.value, sums);
  return distance_of(sums);
}

}  // namespace parity::compare
#endif  // HWY_ONCE

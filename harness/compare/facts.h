// The facts of a comparison: plain numbers without any judgement. Mirrors the report JSON's keys;
// knows no layer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::compare {

/// Counts of pairs. The kinds (finite, both_nan, nan_*, inf_*) add up to the element count;
/// equal_bits, zero_* and flushed_to_zero are counted inside their kind as well.
struct ClassCounts {
  std::uint64_t equal_bits = 0;
  std::uint64_t finite = 0;
  std::uint64_t both_nan = 0;  ///< payload bits do not count
  std::uint64_t nan_reference_only = 0;
  std::uint64_t nan_candidate_only = 0;
  std::uint64_t inf_equal = 0;
  std::uint64_t inf_opposite = 0;
  std::uint64_t inf_reference_only = 0;  ///< candidate finite
  std::uint64_t inf_candidate_only = 0;  ///< reference finite
  std::uint64_t zero_reference =
      0;  ///< reference is a zero, candidate a finite non-zero: no relative error
  std::uint64_t zero_sign = 0;        ///< both zero, signs differ
  std::uint64_t flushed_to_zero = 0;  ///< a subnormal on one side, a zero on the other

  bool operator==(const ClassCounts&) const = default;
};

/// `edges[i]` is the inclusive lower edge of bin i; the first bin is exactly 0, the last is open.
struct Histogram {
  std::vector<double> edges;
  std::vector<std::uint64_t> counts;
};

/// Nearest-rank quantiles over the finite pairs. `approximate`: the bin's upper edge stands for the
/// value.
struct Quantiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  bool approximate = false;
};

struct UlpDistribution {
  tensor::DType dtype = tensor::DType::float32;  ///< the coarser of the two sides
  std::uint64_t max = 0;                         ///< ulp
  Quantiles quantiles;                           ///< ulp
  Histogram histogram;                           ///< 0, 1, 2, 3-4, 5-8, ... doubling
};

/// abs(c-r)/abs(r) over finite pairs with a non-zero reference (and equal zeros, at 0).
struct RelativeDistribution {
  double max = 0;
  Quantiles quantiles;
  Histogram histogram;  ///< 0, then powers of two from 2^-60
};

struct AbsoluteError {
  double max = 0;
  double mean_signed = 0;  ///< mean of c-r over finite pairs: the bias
};

struct Element {
  std::vector<std::int64_t> index;
  double reference = 0;
  double candidate = 0;
  std::uint64_t reference_bits = 0;
  std::uint64_t candidate_bits = 0;
};

/// Smallest range along one axis that holds 95 % of the excess over the element bound.
struct AxisRange {
  std::size_t axis = 0;
  std::int64_t first = 0;  ///< inclusive
  std::int64_t last = 0;   ///< inclusive
  std::int64_t size = 0;   ///< of the axis
  double share = 0;        ///< of the excess inside the range
};

/// Where the elements outside the element bound are. `first` is empty when there is none.
struct Where {
  std::uint64_t outside = 0;
  std::vector<std::int64_t> first;
  double share = 0;             ///< of all elements
  std::vector<AxisRange> axes;  ///< only axes whose range is a proper part of the axis
};

/// A recognised pattern of the difference, with the evidence in numbers.
struct Hint {
  std::string pattern;   ///< "scaled", "row_offset", "shifted", "permuted", "zeroed", "clamped"
  std::string evidence;  ///< "candidate = 0.5 x reference in 100 % of 4096 elements"
};

/// All facts about one pair of tensors of equal shape. Identical tensors give exactly 0 in every
/// figure.
struct TensorComparison {
  tensor::DType reference_dtype = tensor::DType::float32;
  tensor::DType candidate_dtype = tensor::DType::float32;
  tensor::Shape shape;
  std::uint64_t elements = 0;
  ClassCounts classes;
  UlpDistribution ulp;
  RelativeDistribution relative;
  AbsoluteError absolute;
  double nrmse = 0;  ///< norm(c-r)/norm(r) over finite pairs; 0 for equal values; inf when only the
                     ///< reference is 0
  double cosine =
      1;  ///< 1 for equal values (also when both are zero), 0 when one side alone is zero
  double exact_share = 1;  ///< equal_bits / elements; 1 for no elements
  double reference_rms = 0;
  double max_error_over_rms =
      0;  ///< absolute.max / reference_rms; 0 for equal values, inf when rms alone is 0
  bool reference_constant = false;  ///< all reference elements, two or more, have the same bits
  bool reference_all_nan = false;
  std::vector<Element> worst;  ///< by ulp distance, then by index; one-sided non-finite pairs first
  Where where;
  std::vector<Hint> hints;
};

/// Shapes differ: nothing else can be said.
struct ShapeMismatch {
  tensor::Shape reference;
  tensor::Shape candidate;
};
/// Dtypes between which nothing can be measured: complex and real, or any two where one side has a
/// digest alone.
struct DTypeMismatch {
  tensor::DType reference = tensor::DType::float32;
  tensor::DType candidate = tensor::DType::float32;
};
/// Only digests are there on the reference's side and they differ, so how far is unknown.
struct DigestMismatch {};
/// Digests are equal and nothing but digests was stored.
struct DigestMatch {};
struct NotCompared {};

/// What came of one tap. Only the gate turns it into a verdict.
using Outcome = std::variant<NotCompared, TensorComparison, ShapeMismatch, DTypeMismatch,
                             DigestMatch, DigestMismatch>;

}  // namespace parity::compare

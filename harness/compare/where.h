// Where the elements outside the element bound are: first index, share, and the range of each axis
// that holds them. A second pass over the tensors, run only when something can be outside.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compare/compare_tensors.h"
#include "compare/facts.h"
#include "compare/pair.h"
#include "tensor/shape.h"

namespace parity::compare {

/// True for one-sided NaN and Inf too; both NaN and equal Inf are inside.
[[nodiscard]] bool is_outside(const Pair& pair, const AbsoluteBound& bound);

struct OutsideElements {
  Where where;
  std::vector<std::uint64_t>
      sample;  ///< flat indices of up to about 65,536 of them, ascending, from all over the tensor
};

/// `shape` has the trailing component dimension of complex tensors. Excess is the amount over the
/// bound, in units of `largest_difference`; a one-sided NaN or Inf counts as one unit. The result
/// does not depend on `threads`.
[[nodiscard]] OutsideElements find_outside(const PairSource& source, const tensor::Shape& shape,
                                           const AbsoluteBound& bound, double largest_difference,
                                           int threads);

/// The range of one axis that holds the excess: the whole extent of it, or the smallest part with
/// 95 % of it where that is clearly shorter (so that even excess is not cut at the ends). Nothing
/// when it is the whole axis. `excess[k]` belongs to the indices [k * width, (k + 1) * width); bins
/// are cut to `lowest` and `highest` index seen.
struct AxisExcess {
  explicit AxisExcess(std::int64_t axis_size);
  void add(std::int64_t index, std::uint64_t amount);
  void merge(const AxisExcess& other);

  std::int64_t size;
  std::int64_t width;
  std::vector<std::uint64_t> excess;
  std::vector<std::int64_t> lowest;
  std::vector<std::int64_t> highest;
};
[[nodiscard]] std::vector<AxisRange> ranges_of(std::span<const AxisExcess> axes);

}  // namespace parity::compare

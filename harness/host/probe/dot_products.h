// Many dot products in one matrix product: each on the diagonal of a square result, so that a
// device sees one ordinary product. Private to the folder.
#pragma once

#include <cstddef>
#include <vector>

#include "run/probe.h"

namespace parity::host {

/// Terms further apart than this many places never share a group of a matrix unit: the widest known
/// for float32 results takes 16.
inline constexpr std::size_t kGroup = 16;
/// Length of every dot product. A library's slices of a long sum are at least as long.
inline constexpr std::size_t kTerms = 4 * kGroup;

struct Term {
  std::size_t k;
  double a;
  double b;
};
using DotProduct = std::vector<Term>;

/// Values of the dot products, in order; places without a term are zero.
[[nodiscard]] std::vector<double> computed(run::ProbeDevice& device,
                                           const std::vector<DotProduct>& products,
                                           tensor::DType dtype, run::Fp32Precision precision);

}  // namespace parity::host

// Distances in ulp: representable values stepped over going from one value to the other, through
// zero. Always an integer in a named format; refuses to mix formats and to guess at NaN or Inf.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>

#include "compare/float_format.h"
#include "compare/sides.h"

namespace parity::compare {

/// A bit pattern of a format that C++20 has no type for.
template <typename F>
struct BitPattern {
  typename F::Bits bits = 0;
};
using Float16Bits = BitPattern<Float16Format>;
using BFloat16Bits = BitPattern<BFloat16Format>;
using Float8E4M3FnBits = BitPattern<Float8E4M3FnFormat>;
using Float8E4M3FnuzBits = BitPattern<Float8E4M3FnuzFormat>;
using Float8E5M2Bits = BitPattern<Float8E5M2Format>;
using Float8E5M2FnuzBits = BitPattern<Float8E5M2FnuzFormat>;

/// Number of values of format F stepped over going from `reference` to `candidate`.
/// Unit: ulp of F. Signed zeros are 0 apart; opposite signs count through zero, so -min and +min
/// are 2 apart. Returns nullopt if either side is not finite: such pairs have a PairKind and never
/// enter a distribution. Source: the order of IEEE 754 bit patterns by magnitude. Never overflows:
/// float64 -max to +max is below 2^64.
template <typename F>
[[nodiscard]] constexpr std::optional<std::uint64_t> ulp_distance(
    Reference<BitPattern<F>> reference, Candidate<BitPattern<F>> candidate) {
  if (!F::is_finite(reference.value.bits) || !F::is_finite(candidate.value.bits))
    return std::nullopt;
  return F::steps(reference.value.bits, candidate.value.bits);
}

[[nodiscard]] constexpr std::optional<std::uint64_t> ulp_distance(Reference<float> reference,
                                                                  Candidate<float> candidate) {
  using Pattern = BitPattern<Float32Format>;
  return ulp_distance(Reference<Pattern>{{std::bit_cast<std::uint32_t>(reference.value)}},
                      Candidate<Pattern>{{std::bit_cast<std::uint32_t>(candidate.value)}});
}

[[nodiscard]] constexpr std::optional<std::uint64_t> ulp_distance(Reference<double> reference,
                                                                  Candidate<double> candidate) {
  using Pattern = BitPattern<Float64Format>;
  return ulp_distance(Reference<Pattern>{{std::bit_cast<std::uint64_t>(reference.value)}},
                      Candidate<Pattern>{{std::bit_cast<std::uint64_t>(candidate.value)}});
}

/// Steps between two integers of one type. INT64_MIN to INT64_MAX is 2^64-1 and fits.
template <std::integral T>
[[nodiscard]] constexpr std::uint64_t ulp_distance(Reference<T> reference, Candidate<T> candidate) {
  const auto a = static_cast<std::uint64_t>(reference.value);
  const auto b = static_cast<std::uint64_t>(candidate.value);
  return reference.value > candidate.value ? a - b : b - a;
}

}  // namespace parity::compare

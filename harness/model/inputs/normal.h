// Normally distributed numbers whose bits are the same on every machine.
// Uses +, -, *, / and square root alone, which IEEE 754 rounds exactly; the C library's log and sin
// differ by vendor.
#pragma once

#include <cstdint>

namespace parity::model {

/// Quantile of the standard normal distribution at the middle of one of 2^52 equal slices of (0,1),
/// the slice that the upper 52 bits of `word` name. Lies within +-8.21.
/// Relative error below 1e-15 (6.1e-16 at most was measured, against 50 digits).
/// Source: M. J. Wichura, Algorithm AS 241 (PPND16), Applied Statistics 37 (1988), 477-484.
[[nodiscard]] double normal_from_word(std::uint64_t word);

/// Natural logarithm of a normal positive number, from its binary exponent and the series of atanh.
/// Relative error below 4e-16 (measured: 2e-16) for arguments in (0, 0.5]; not meant for arguments
/// near 1.
[[nodiscard]] double portable_log(double value);

}  // namespace parity::model

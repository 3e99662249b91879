// Bit layouts of the binary floating formats as types: what is NaN, Inf, zero or subnormal, and the
// exact value. Works on bit patterns alone; refuses to know tensors and never does arithmetic in
// the format itself.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parity::compare {

/// `ieee`: top exponent is Inf and NaN. `fn`: no Inf, NaN is all ones. `fnuz`: no Inf, no -0, NaN
/// is the -0 pattern.
enum class Specials : std::uint8_t { ieee, fn, fnuz };

/// 2^exponent for a normal float64 exponent in [-1022, 1023].
[[nodiscard]] constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

/// A format with one sign bit, `mantissa_bits` fraction bits and the rest exponent.
template <typename Storage, int mantissa_bits, int exponent_bias, Specials specials>
struct Format {
  using Bits = Storage;
  static constexpr int kMantissaBits = mantissa_bits;
  static constexpr int kBias = exponent_bias;
  static constexpr Specials kSpecials = specials;
  static constexpr int kTotalBits = std::numeric_limits<Storage>::digits;
  static constexpr Storage kSign = static_cast<Storage>(Storage{1} << (kTotalBits - 1));
  static constexpr Storage kMagnitude = static_cast<Storage>(kSign - 1);
  static constexpr Storage kMantissa = static_cast<Storage>((Storage{1} << mantissa_bits) - 1);
  static constexpr Storage kInfinity =
      static_cast<Storage>(kMagnitude & ~kMantissa);  ///< `ieee` only

  [[nodiscard]] static constexpr Storage magnitude(Storage bits) {
    return static_cast<Storage>(bits & kMagnitude);
  }
  [[nodiscard]] static constexpr bool is_negative(Storage bits) { return (bits & kSign) != 0; }
  [[nodiscard]] static constexpr bool is_nan(Storage bits) {
    if constexpr (specials == Specials::ieee) return magnitude(bits) > kInfinity;
    if constexpr (specials == Specials::fn) return magnitude(bits) == kMagnitude;
    return bits == kSign;
  }
  [[nodiscard]] static constexpr bool is_infinite(Storage bits) {
    return specials == Specials::ieee && magnitude(bits) == kInfinity;
  }
  [[nodiscard]] static constexpr bool is_finite(Storage bits) {
    return !is_nan(bits) && !is_infinite(bits);
  }
  [[nodiscard]] static constexpr bool is_zero(Storage bits) {
    return magnitude(bits) == 0 && !is_nan(bits);
  }
  [[nodiscard]] static constexpr bool is_subnormal(Storage bits) {
    return magnitude(bits) != 0 && magnitude(bits) <= kMantissa;
  }

  /// Exact value of any pattern. Integer arithmetic on the significand, so that no flush-to-zero
  /// mode can interfere.
  [[nodiscard]] static constexpr double to_double(Storage bits) {
    if (is_nan(bits)) return std::numeric_limits<double>::quiet_NaN();
    const double sign = is_negative(bits) ? -1.0 : 1.0;
    if (is_infinite(bits)) return sign * std::numeric_limits<double>::infinity();
    if constexpr (std::is_same_v<Storage, std::uint64_t>) {
      return std::bit_cast<double>(bits);
    } else {
      const auto size = static_cast<std::uint64_t>(magnitude(bits));
      if (size > kMantissa) {
        // A normal number is one of float64 too: the same fraction, the exponent counted from
        // another bias.
        const std::uint64_t wide =
            (size << (52U - mantissa_bits)) + (std::uint64_t{1023 - exponent_bias} << 52U);
        return std::bit_cast<double>(wide | (std::uint64_t{is_negative(bits)} << 63U));
      }
      return sign * static_cast<double>(size) * power_of_two(1 - exponent_bias - mantissa_bits);
    }
  }

  /// Steps from one finite value to the other in the order of values; both zeros are the same
  /// place.
  [[nodiscard]] static constexpr std::uint64_t steps(Storage from, Storage to) {
    // The narrowest type that holds the sum, so that loops over short formats vectorise.
    using Wide = std::conditional_t<kTotalBits <= 16, std::uint32_t, std::uint64_t>;
    const auto a = static_cast<Wide>(magnitude(from));
    const auto b = static_cast<Wide>(magnitude(to));
    const Wide apart = a > b ? a - b : b - a;
    return is_negative(from) != is_negative(to) ? a + b : apart;
  }
};

using Float64Format = Format<std::uint64_t, 52, 1023, Specials::ieee>;
using Float32Format = Format<std::uint32_t, 23, 127, Specials::ieee>;
using Float16Format = Format<std::uint16_t, 10, 15, Specials::ieee>;
using BFloat16Format = Format<std::uint16_t, 7, 127, Specials::ieee>;
using Float8E4M3FnFormat = Format<std::uint8_t, 3, 7, Specials::fn>;
using Float8E4M3FnuzFormat = Format<std::uint8_t, 3, 8, Specials::fnuz>;
using Float8E5M2Format = Format<std::uint8_t, 2, 15, Specials::ieee>;
using Float8E5M2FnuzFormat = Format<std::uint8_t, 2, 16, Specials::fnuz>;

}  // namespace parity::compare

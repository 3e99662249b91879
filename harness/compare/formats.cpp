// Run-time dispatch from dtype to format.
#include "compare/formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace parity::compare {
namespace {

using tensor::DType;

template <typename T>
double read_integer(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return static_cast<double>(value);
}

double read_boolean(const std::byte* address) { return *address == std::byte{0} ? 0.0 : 1.0; }

template <typename F>
double read_float(const std::byte* address) {
  typename F::Bits bits;
  std::memcpy(&bits, address, sizeof(bits));
  return F::to_double(bits);
}

template <typename F>
std::uint64_t float_ordinal(double magnitude) {
  if (magnitude == 0) return 0;
  constexpr int kLowestExponent = 1 - F::kBias;
  const int exponent = std::max(std::ilogb(magnitude), kLowestExponent);
  // The significand scaled to an integer; rounding may carry into the next exponent, which the sum
  // absorbs.
  const double significand = std::rint(std::scalbn(magnitude, F::kMantissaBits - exponent));
  const auto octave = static_cast<std::uint64_t>(exponent - kLowestExponent) << F::kMantissaBits;
  return octave + static_cast<std::uint64_t>(significand);
}

std::uint64_t integer_ordinal(double magnitude) {
  constexpr double kLimit =
      18446744073709551616.0;  // 2^64, which uint64 values near the top round to
  return magnitude >= kLimit ? ~std::uint64_t{0} : static_cast<std::uint64_t>(magnitude);
}

}  // namespace

ValueReader value_reader(DType dtype) {
  switch (dtype) {
    case DType::int64:
      return &read_integer<std::int64_t>;
    case DType::int32:
      return &read_integer<std::int32_t>;
    case DType::int16:
      return &read_integer<std::int16_t>;
    case DType::int8:
      return &read_integer<std::int8_t>;
    case DType::uint64:
      return &read_integer<std::uint64_t>;
    case DType::uint32:
      return &read_integer<std::uint32_t>;
    case DType::uint16:
      return &read_integer<std::uint16_t>;
    case DType::uint8:
      return &read_integer<std::uint8_t>;
    case DType::boolean:
      return &read_boolean;
    default:
      return with_float_format(dtype, []<typename F>(F) -> ValueReader { return &read_float<F>; });
  }
}

double smallest_normal(DType dtype) {
  if (tensor::is_integral(dtype)) return 0;
  return with_float_format(dtype, []<typename F>(F) { return power_of_two(1 - F::kBias); });
}

DType coarser(DType reference, DType candidate) {
  if (tensor::is_integral(reference)) return tensor::is_integral(candidate) ? reference : candidate;
  if (tensor::is_integral(candidate)) return reference;
  return tensor::significand_bits(candidate) < tensor::significand_bits(reference) ? candidate
                                                                                   : reference;
}

Ordinal ordinal_of(DType dtype) {
  if (tensor::is_integral(dtype)) return &integer_ordinal;
  return with_float_format(dtype, []<typename F>(F) -> Ordinal { return &float_ordinal<F>; });
}

}  // namespace parity::compare

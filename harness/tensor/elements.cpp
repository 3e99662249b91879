#include "tensor/elements.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "error/error.h"

namespace parity::tensor {
namespace {

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// A binary floating format of 16 bits or fewer.
struct SmallFormat {
  int exponent_bits;
  int fraction_bits;
  int bias;
  enum class Special { ieee, finite_nan_all_ones, unsigned_zero_nan } special;
};

double decode_small(std::uint32_t bits, const SmallFormat& format) {
  const std::uint32_t fraction = bits & ((1U << static_cast<unsigned>(format.fraction_bits)) - 1U);
  const std::uint32_t exponent_mask = (1U << static_cast<unsigned>(format.exponent_bits)) - 1U;
  const std::uint32_t exponent =
      bits >> static_cast<unsigned>(format.fraction_bits) & exponent_mask;
  const bool negative =
      (bits >> static_cast<unsigned>(format.fraction_bits + format.exponent_bits) & 1U) != 0;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (format.special == SmallFormat::Special::unsigned_zero_nan && negative && exponent == 0 &&
      fraction == 0) {
    return kNan;
  }
  if (exponent == exponent_mask) {
    const std::uint32_t all_ones = (1U << static_cast<unsigned>(format.fraction_bits)) - 1U;
    if (format.special == SmallFormat::Special::ieee) {
      if (fraction != 0) return kNan;
      const double infinity = std::numeric_limits<double>::infinity();
      return negative ? -infinity : infinity;
    }
    if (format.special == SmallFormat::Special::finite_nan_all_ones && fraction == all_ones)
      return kNan;
  }
  const double significand =
      exponent == 0 ? fraction : fraction + (1U << static_cast<unsigned>(format.fraction_bits));
  const int scale =
      (exponent == 0 ? 1 : static_cast<int>(exponent)) - format.bias - format.fraction_bits;
  const double magnitude = std::ldexp(significand, scale);
  return negative ? -magnitude : magnitude;
}

constexpr SmallFormat kFloat16{5, 10, 15, SmallFormat::Special::ieee};
constexpr SmallFormat kBfloat16{8, 7, 127, SmallFormat::Special::ieee};
constexpr SmallFormat kE4m3fn{4, 3, 7, SmallFormat::Special::finite_nan_all_ones};
constexpr SmallFormat kE4m3fnuz{4, 3, 8, SmallFormat::Special::unsigned_zero_nan};
constexpr SmallFormat kE5m2{5, 2, 15, SmallFormat::Special::ieee};
constexpr SmallFormat kE5m2fnuz{5, 2, 16, SmallFormat::Special::unsigned_zero_nan};

double decode(DType component, const std::byte* bytes) {
  switch (component) {
    case DType::float64:
      return load<double>(bytes);
    case DType::float32:
      return static_cast<double>(load<float>(bytes));
    case DType::float16:
      return decode_small(load<std::uint16_t>(bytes), kFloat16);
    case DType::bfloat16:
      return decode_small(load<std::uint16_t>(bytes), kBfloat16);
    case DType::float8_e4m3fn:
      return decode_small(load<std::uint8_t>(bytes), kE4m3fn);
    case DType::float8_e4m3fnuz:
      return decode_small(load<std::uint8_t>(bytes), kE4m3fnuz);
    case DType::float8_e5m2:
      return decode_small(load<std::uint8_t>(bytes), kE5m2);
    case DType::float8_e5m2fnuz:
      return decode_small(load<std::uint8_t>(bytes), kE5m2fnuz);
    case DType::int64:
      return static_cast<double>(load<std::int64_t>(bytes));
    case DType::int32:
      return load<std::int32_t>(bytes);
    case DType::int16:
      return load<std::int16_t>(bytes);
    case DType::int8:
      return load<std::int8_t>(bytes);
    case DType::uint64:
      return static_cast<double>(load<std::uint64_t>(bytes));
    case DType::uint32:
      return load<std::uint32_t>(bytes);
    case DType::uint16:
      return load<std::uint16_t>(bytes);
    case DType::uint8:
    case DType::boolean:
      return load<std::uint8_t>(bytes);
    case DType::complex64:
    case DType::complex128:
      break;
  }
  PARITY_CHECK(!is_complex(component));
  return 0;
}

}  // namespace

double value_at(const TensorView& tensor, std::uint64_t flat) {
  const DType part = component(tensor.dtype);
  return decode(part, tensor.bytes.data() + flat * size_bytes(part));
}

std::uint64_t component_count(const TensorView& tensor) {
  return element_count(tensor.shape) * (is_complex(tensor.dtype) ? 2 : 1);
}

}  // namespace parity::tensor

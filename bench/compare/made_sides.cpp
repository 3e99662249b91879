// Gaussian values from a pool, encoded by rounding or truncation into each dtype.
#include "bench/compare/made_sides.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace parity::bench {
namespace {

using tensor::DType;

std::uint32_t float_bits(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
std::uint64_t double_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint16_t bfloat16_bits(double value) {
  return static_cast<std::uint16_t>(float_bits(value) >> 16U);
}

/// Truncates to a narrow format; what is below its normal numbers becomes twice the smallest of
/// them.
template <typename Bits, int mantissa_bits, int bias, Bits nan>
Bits narrow_bits(double value) {
  constexpr int kBits = std::numeric_limits<Bits>::digits;
  const std::uint32_t bits = float_bits(value);
  const std::uint32_t sign = bits >> 31U << (kBits - 1);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return nan;
  constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - bias) << 23U;
  constexpr std::uint32_t kSmallest = kRebias + (2U << 23U);
  const std::uint32_t raised = magnitude < kSmallest ? kSmallest : magnitude;
  return static_cast<Bits>(sign | ((raised - kRebias) >> (23 - mantissa_bits)));
}

/// About half a unit in the last place of a value near 1, as a product's rounding leaves it.
double rounding_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 4e-16;
    case DType::bfloat16:
      return 4e-3;
    case DType::float16:
      return 5e-4;
    case DType::float8_e4m3fn:
    case DType::float8_e4m3fnuz:
      return 6e-2;
    case DType::float8_e5m2:
    case DType::float8_e5m2fnuz:
      return 1.2e-1;
    default:
      return 4e-7;
  }
}

/// Draws that both kinds of data are made from.
class Draws {
 public:
  Draws() : random_(1), pool_(std::size_t{1} << 16U) {
    std::normal_distribution<double> normal;
    for (double& value : pool_) value = normal(random_);
  }
  std::uint32_t next() { return static_cast<std::uint32_t>(random_()); }
  [[nodiscard]] double gaussian(std::uint32_t draw) const { return pool_[draw % pool_.size()]; }

 private:
  std::minstd_rand random_;
  std::vector<double> pool_;
};

template <typename Bits, typename Encode>
Sides floats(DType dtype, Data data, std::size_t side_bytes, Encode encode) {
  const std::size_t count = side_bytes / sizeof(Bits);
  Sides sides{std::vector<std::byte>(side_bytes), std::vector<std::byte>(side_bytes)};
  Draws draws;
  const double rounding = rounding_of(dtype);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = draws.next();
    double value = draws.gaussian(draw) * (1 + static_cast<double>(i % 1000) * 1e-4);
    double noisy = value + rounding * draws.gaussian(draw >> 8U);
    if (data == Data::relu_noise) {
      value = value > 0 ? value : 0;
      noisy = noisy > 0 && value > 0 ? noisy : 0;
    }
    const Bits reference = value == 0 ? Bits{0} : encode(value);
    Bits candidate = reference;
    if (data == Data::one_ulp) candidate = static_cast<Bits>(reference + (draw >> 16U) % 2);
    if (data == Data::matmul_noise || data == Data::relu_noise)
      candidate = noisy == 0 ? Bits{0} : encode(noisy);
    if (data == Data::some_nan && i % 100000 == 0)
      candidate = encode(std::numeric_limits<double>::quiet_NaN());
    std::memcpy(sides.reference.data() + i * sizeof(Bits), &reference, sizeof(Bits));
    std::memcpy(sides.candidate.data() + i * sizeof(Bits), &candidate, sizeof(Bits));
  }
  return sides;
}

template <typename Bits>
Sides integers(Data data, std::size_t side_bytes, Bits mask) {
  const std::size_t count = side_bytes / sizeof(Bits);
  Sides sides{std::vector<std::byte>(side_bytes), std::vector<std::byte>(side_bytes)};
  Draws draws;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = draws.next();
    const auto reference = static_cast<Bits>(static_cast<Bits>(draw) & mask);
    Bits candidate = reference;
    const bool differs = (data == Data::one_ulp && (draw >> 16U) % 2 == 1) ||
                         (data == Data::matmul_noise && (draw >> 16U) % 32 == 0);
    if (differs) candidate = static_cast<Bits>(reference ^ Bits{1});
    std::memcpy(sides.reference.data() + i * sizeof(Bits), &reference, sizeof(Bits));
    std::memcpy(sides.candidate.data() + i * sizeof(Bits), &candidate, sizeof(Bits));
  }
  return sides;
}

template <typename Bits, typename Encode>
Sides logits(double noise, std::size_t side_bytes, Encode encode) {
  const std::size_t count = side_bytes / sizeof(Bits);
  Sides sides{std::vector<std::byte>(side_bytes), std::vector<std::byte>(side_bytes)};
  Draws draws;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = draws.next();
    const double value = 3 * draws.gaussian(draw) + static_cast<double>(i % 997) * 1e-4;
    const Bits reference = encode(value);
    const Bits candidate = encode(value + noise * draws.gaussian(draw >> 8U));
    std::memcpy(sides.reference.data() + i * sizeof(Bits), &reference, sizeof(Bits));
    std::memcpy(sides.candidate.data() + i * sizeof(Bits), &candidate, sizeof(Bits));
  }
  return sides;
}

}  // namespace

Sides made_sides(DType dtype, Data data, std::size_t side_bytes) {
  switch (dtype) {
    case DType::bfloat16:
      return floats<std::uint16_t>(dtype, data, side_bytes, bfloat16_bits);
    case DType::float16:
      return floats<std::uint16_t>(dtype, data, side_bytes,
                                   narrow_bits<std::uint16_t, 10, 15, 0x7E00>);
    case DType::float8_e4m3fn:
      return floats<std::uint8_t>(dtype, data, side_bytes, narrow_bits<std::uint8_t, 3, 7, 0x7F>);
    case DType::float8_e4m3fnuz:
      return floats<std::uint8_t>(dtype, data, side_bytes, narrow_bits<std::uint8_t, 3, 8, 0x80>);
    case DType::float8_e5m2:
      return floats<std::uint8_t>(dtype, data, side_bytes, narrow_bits<std::uint8_t, 2, 15, 0x7E>);
    case DType::float8_e5m2fnuz:
      return floats<std::uint8_t>(dtype, data, side_bytes, narrow_bits<std::uint8_t, 2, 16, 0x80>);
    case DType::float64:
      return floats<std::uint64_t>(dtype, data, side_bytes, double_bits);
    case DType::int64:
    case DType::uint64:
      return integers<std::uint64_t>(data, side_bytes, ~std::uint64_t{0});
    case DType::int32:
    case DType::uint32:
      return integers<std::uint32_t>(data, side_bytes, ~std::uint32_t{0});
    case DType::int16:
    case DType::uint16:
      return integers<std::uint16_t>(data, side_bytes, 0xFFFF);
    case DType::int8:
    case DType::uint8:
      return integers<std::uint8_t>(data, side_bytes, 0xFF);
    case DType::boolean:
      return integers<std::uint8_t>(data, side_bytes, 1);
    default:
      return floats<std::uint32_t>(dtype, data, side_bytes, float_bits);
  }
}

Sides made_logits(DType dtype, std::size_t side_bytes) {
  switch (dtype) {
    case DType::bfloat16:
      return logits<std::uint16_t>(2e-2, side_bytes, bfloat16_bits);
    case DType::float16:
      return logits<std::uint16_t>(2e-2, side_bytes, narrow_bits<std::uint16_t, 10, 15, 0x7E00>);
    case DType::float64:
      return logits<std::uint64_t>(1e-3, side_bytes, double_bits);
    default:
      return logits<std::uint32_t>(1e-3, side_bytes, float_bits);
  }
}

}  // namespace parity::bench

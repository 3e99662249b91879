#include "fault/value_changes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "compare/formats.h"
#include "error/error.h"
#include "fault/numbers.h"

namespace parity::fault {
namespace {

/// Applies `of` to every number.
template <typename Of>
tensor::HostTensor each(const tensor::TensorView& tensor, const Of& of) {
  return changed(tensor, [&](std::span<double> numbers, std::size_t first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = of(numbers[i], first + i);
  });
}

enum class Towards : std::uint8_t { zero, infinity };

/// One representable step away from zero, or towards it; of a subnormal and of zero the smallest
/// subnormal.
template <typename F>
double step(double value, Towards towards) {
  const double magnitude = std::fabs(value);
  const double least = compare::power_of_two(1 - F::kBias);
  const int exponent = magnitude < least ? 1 - F::kBias : std::ilogb(magnitude);
  const double unit = std::ldexp(1.0, exponent - F::kMantissaBits);
  // Zero has no step towards it.
  const bool grows = towards == Towards::infinity || magnitude == 0;
  return std::copysign(grows ? magnitude + unit : magnitude - unit, value);
}

}  // namespace

tensor::HostTensor scaled(const tensor::TensorView& tensor, double factor) {
  return each(tensor, [&](double value, std::size_t) { return value * factor; });
}

tensor::HostTensor moved(const tensor::TensorView& tensor, double offset) {
  return each(tensor, [&](double value, std::size_t) { return value + offset; });
}

tensor::HostTensor filled(const tensor::TensorView& tensor, double value) {
  return each(tensor, [&](double, std::size_t) { return value; });
}

tensor::HostTensor clamped(const tensor::TensorView& tensor, double limit) {
  return each(tensor, [&](double value, std::size_t) {
    return std::isfinite(value) ? std::clamp(value, -limit, limit) : value;
  });
}

tensor::HostTensor cut_to_bits(const tensor::TensorView& tensor, int bits) {
  return each(tensor, [&](double value, std::size_t) {
    if (value == 0 || !std::isfinite(value)) return value;
    const int exponent = std::ilogb(value) - bits + 1;
    return std::ldexp(std::rint(std::ldexp(value, -exponent)), exponent);
  });
}

tensor::HostTensor flushed(const tensor::TensorView& tensor) {
  const double least = compare::smallest_normal(tensor::component(tensor.dtype));
  return each(tensor, [&](double value, std::size_t) {
    return std::fabs(value) < least ? std::copysign(0.0, value) : value;
  });
}

tensor::HostTensor with_scaled_column(const tensor::TensorView& tensor, std::size_t column,
                                      double factor) {
  PARITY_CHECK(!tensor.shape.empty() && tensor.shape.back() > 0);
  const std::size_t parts = tensor::is_complex(tensor.dtype) ? 2 : 1;
  const auto width = static_cast<std::size_t>(tensor.shape.back());
  return each(tensor, [&](double value, std::size_t place) {
    return place / parts % width == column ? value * factor : value;
  });
}

tensor::HostTensor with_spike(const tensor::TensorView& tensor, double size) {
  const std::size_t middle = number_count(tensor) / 2;
  return with_number(tensor, middle, number_at(tensor, middle) + size * rms_of(tensor));
}

tensor::HostTensor with_bit_flipped(const tensor::TensorView& tensor, std::size_t place,
                                    unsigned bit) {
  static_assert(std::endian::native == std::endian::little);
  const std::size_t size = tensor::size_bytes(tensor::component(tensor.dtype));
  PARITY_CHECK(place < number_count(tensor) && bit < 8 * size);
  std::vector<std::byte> bytes(tensor.bytes.begin(), tensor.bytes.end());
  bytes[place * size + bit / 8] ^= std::byte{1} << (bit % 8);
  return {tensor.dtype, tensor.shape, std::move(bytes)};
}

tensor::HostTensor with_rounding_noise(const tensor::TensorView& tensor) {
  const tensor::DType dtype = tensor::component(tensor.dtype);
  if (tensor::is_integral(dtype)) return changed(tensor, [](std::span<double>, std::size_t) {});
  return compare::with_float_format(dtype, [&]<typename F>(F) {
    return each(tensor, [](double value, std::size_t place) {
      if (!std::isfinite(value)) return value;
      const Towards towards = (mixed(place) & 1U) != 0 ? Towards::infinity : Towards::zero;
      const double stepped = step<F>(value, towards);
      // The largest number has no neighbour outwards.
      return std::isfinite(rounded_to(tensor::DType::float64, stepped)) ? stepped : value;
    });
  });
}

std::size_t largest_place(const tensor::TensorView& tensor) {
  std::size_t place = 0;
  double largest = -1;
  each_block(tensor, [&](std::span<const double> numbers, std::size_t first) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double size = std::fabs(numbers[i]);
      if (!std::isfinite(size) || size <= largest) continue;
      largest = size;
      place = first + i;
    }
  });
  return place;
}

/// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t place) {
  std::uint64_t bits = place + 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace parity::fault

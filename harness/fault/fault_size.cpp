#include "fault/fault_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "error/error.h"
#include "fault/numbers.h"

namespace parity::fault {
namespace {

/// From where on a fault is gross.
struct GrossLimits {
  double nrmse = 0;
  double max_error_over_rms = 0;
};

// A model that computes in bfloat16 instead of float32 is 1.7e-3 off, a wrong factor of 1 % is
// 1e-2; the built-in bound is 1.5e-5, and TF32 is at 4e-4.
constexpr GrossLimits kWide = {1e-3, 0.5};
// A quarter of the tensor is 64 roundings of bfloat16; rounded outliers reach some tens of the rms.
constexpr GrossLimits kHalf = {0.25, 100};
// Every element one step off is 0.2 in the coarsest of them.
constexpr GrossLimits kEighth = {0.4, 100};
constexpr GrossLimits kExact = {0, 0};

class Measure {
 public:
  void add(double reference, double spoilt) {
    if (reference == spoilt || (std::isnan(reference) && std::isnan(spoilt))) {
      if (std::isfinite(reference)) count(reference, 0);
      return;
    }
    ++size_.unequal;
    if (!std::isfinite(reference) || !std::isfinite(spoilt)) {
      ++size_.non_finite;
      return;
    }
    count(reference, static_cast<long double>(spoilt) - static_cast<long double>(reference));
  }

  [[nodiscard]] FaultSize size() const {
    FaultSize result = size_;
    if (error_squares_ > 0) result.nrmse = ratio(std::sqrt(error_squares_ / reference_squares_));
    if (largest_ > 0) {
      const long double rms = std::sqrt(reference_squares_ / static_cast<long double>(finite_));
      result.max_error_over_rms = ratio(largest_ / rms);
    }
    return result;
  }

 private:
  void count(double reference, long double error) {
    ++finite_;
    reference_squares_ += static_cast<long double>(reference) * static_cast<long double>(reference);
    error_squares_ += error * error;
    largest_ = std::max(largest_, std::fabs(error));
  }

  static double ratio(long double value) {
    constexpr auto kLargest = static_cast<long double>(std::numeric_limits<double>::max());
    return value > kLargest ? std::numeric_limits<double>::infinity() : static_cast<double>(value);
  }

  FaultSize size_;
  std::uint64_t finite_ = 0;
  // Squares of float64 leave its own range.
  long double reference_squares_ = 0;
  long double error_squares_ = 0;
  long double largest_ = 0;
};

GrossLimits gross_limits(tensor::DType dtype) {
  if (tensor::is_integral(dtype)) return kExact;
  const int bits = tensor::significand_bits(tensor::component(dtype));
  constexpr int kFloat32Bits = 24;
  constexpr int kBfloat16Bits = 8;
  if (bits >= kFloat32Bits) return kWide;
  return bits >= kBfloat16Bits ? kHalf : kEighth;
}

}  // namespace

FaultSize size_of(const tensor::TensorView& reference, const tensor::TensorView& spoilt) {
  PARITY_CHECK(reference.dtype == spoilt.dtype && reference.bytes.size() == spoilt.bytes.size());
  Measure measure;
  const std::size_t element = tensor::size_bytes(tensor::component(reference.dtype));
  each_block(reference, [&](std::span<const double> numbers, std::size_t first) {
    const auto length = static_cast<std::int64_t>(numbers.size());
    const tensor::TensorView same_block{
        tensor::component(spoilt.dtype),
        {length},
        spoilt.bytes.subspan(first * element, numbers.size() * element)};
    each_block(same_block, [&](std::span<const double> others, std::size_t /*zero*/) {
      for (std::size_t i = 0; i < numbers.size(); ++i) measure.add(numbers[i], others[i]);
    });
  });
  return measure.size();
}

bool is_gross(const FaultSize& size, tensor::DType dtype) {
  if (!size.is_any()) return false;
  const GrossLimits limits = gross_limits(dtype);
  return size.non_finite > 0 || !(size.nrmse < limits.nrmse) ||
         !(size.max_error_over_rms < limits.max_error_over_rms);
}

}  // namespace parity::fault

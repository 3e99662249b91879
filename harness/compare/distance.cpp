#include "compare/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/formats.h"
#include "error/error.h"

namespace parity::compare {
namespace {

/// 0 for equal values, also where both are 0; inf where only the truth is 0.
double quotient(double error, double size) {
  if (error == 0) return 0;
  return size == 0 ? std::numeric_limits<double>::infinity() : error / size;
}

}  // namespace

Distance distance_to(const tensor::TensorView& truth, const tensor::TensorView& side) {
  PARITY_CHECK(truth.shape == side.shape &&
               tensor::is_complex(truth.dtype) == tensor::is_complex(side.dtype));
  const tensor::DType truth_part = tensor::component(truth.dtype);
  const tensor::DType side_part = tensor::component(side.dtype);
  const ValueReader read_truth = value_reader(truth_part);
  const ValueReader read_side = value_reader(side_part);
  const std::size_t truth_step = tensor::size_bytes(truth_part);
  const std::size_t side_step = tensor::size_bytes(side_part);
  const std::size_t count = truth.bytes.size() / truth_step;
  Distance distance;
  double squared_error = 0;
  double squared_truth = 0;
  double largest = 0;
  std::uint64_t finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted = read_truth(truth.bytes.data() + i * truth_step);
    const double value = read_side(side.bytes.data() + i * side_step);
    if (std::isfinite(wanted) && std::isfinite(value)) {
      const double error = value - wanted;
      squared_error += error * error;
      squared_truth += wanted * wanted;
      largest = std::max(largest, std::abs(error));
      ++finite;
    } else if (!(wanted == value || (std::isnan(wanted) && std::isnan(value)))) {
      ++distance.one_sided;
    }
  }
  distance.nrmse = quotient(std::sqrt(squared_error), std::sqrt(squared_truth));
  distance.max_error_over_rms =
      finite == 0 ? 0 : quotient(largest, std::sqrt(squared_truth / static_cast<double>(finite)));
  return distance;
}

}  // namespace parity::compare

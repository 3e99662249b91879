// Frequencies and rotation in the library's order of operations. Frequencies are a float32 constant
// of the model, made on the CPU, so that every device starts from the same bits.
#include "model/decoder/rotary.h"

#include <numbers>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/where.h>

#include "model/decoder/layers.h"

namespace parity::model {
namespace {

at::Tensor plain_frequencies(double theta, std::int64_t head_dim) {
  const at::Tensor exponents =
      at::arange(0, head_dim, 2, at::kFloat) / static_cast<double>(head_dim);
  return at::pow(theta, exponents).reciprocal();
}

/// Long wavelengths are stretched by the factor, short ones kept, those between interpolated.
at::Tensor llama3_frequencies(const RopeConfig& config, const at::Tensor& plain) {
  const auto original = static_cast<double>(config.original_max_positions);
  const double low = config.low_frequency_factor;
  const double high = config.high_frequency_factor;
  const double longest_kept = original / high;
  const double shortest_stretched = original / low;

  const at::Tensor wavelengths = plain.reciprocal() * (2 * std::numbers::pi);
  const at::Tensor stretched =
      at::where(wavelengths > shortest_stretched, plain / config.factor, plain);
  const at::Tensor smooth = (wavelengths.reciprocal() * original - low) / (high - low);
  const at::Tensor between = (1 - smooth) * stretched / config.factor + smooth * stretched;
  const at::Tensor is_between =
      (wavelengths >= longest_kept).logical_and(wavelengths <= shortest_stretched);
  return at::where(is_between, between, stretched);
}

at::Tensor frequencies(const RopeConfig& config, std::int64_t head_dim) {
  at::Tensor plain = plain_frequencies(config.theta, head_dim);
  switch (config.kind) {
    case RopeKind::plain:
      return plain;
    case RopeKind::linear:
      return plain / config.factor;
    case RopeKind::llama3:
      return llama3_frequencies(config, plain);
  }
  return plain;
}

/// (-second half, first half)
at::Tensor rotate_half(const at::Tensor& states) {
  const std::int64_t size = states.size(-1);
  return at::cat({-states.slice(-1, size / 2, size), states.slice(-1, 0, size / 2)}, -1);
}

}  // namespace

Rotary::Rotary(std::string path, const RopeConfig& config, std::int64_t head_dim,
               const c10::Device& device)
    : path_(std::move(path)), inverse_frequencies_(frequencies(config, head_dim).to(device)) {}

RotaryAngles Rotary::operator()(const at::Tensor& positions, at::ScalarType dtype,
                                const ForwardTaps& taps) const {
  const at::ScalarType wide = wide_dtype(dtype);
  const at::Tensor half = positions.unsqueeze(-1).to(wide) * inverse_frequencies_.to(wide);
  const at::Tensor angles = at::cat({half, half}, -1);
  RotaryAngles out{angles.cos().to(dtype), angles.sin().to(dtype)};
  taps.module_outputs(path_, {out.cosines, out.sines});
  return out;
}

at::Tensor rotate(const at::Tensor& states, const RotaryAngles& angles) {
  const at::Tensor cosines = angles.cosines.unsqueeze(1);
  const at::Tensor sines = angles.sines.unsqueeze(1);
  return (states * cosines) + (rotate_half(states) * sines);
}

}  // namespace parity::model

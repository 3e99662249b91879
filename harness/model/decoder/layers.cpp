// Arithmetic of the leaf modules. The order of operations is the library's: another order rounds
// elsewhere and would show as a difference that no backend made.
#include "model/decoder/layers.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/square.h>
#include <ATen/ops/tanh.h>
#include <ATen/record_function.h>

namespace parity::model {
namespace {

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), rounded after each step.
at::Tensor gelu_new(const at::Tensor& x) {
  const double root = std::sqrt(2.0 / std::numbers::pi);
  return 0.5 * x * (1.0 + at::tanh(root * (x + 0.044715 * x.pow(3.0))));
}

at::Tensor gelu_fast(const at::Tensor& x) {
  return 0.5 * x * (1.0 + at::tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)));
}

at::Tensor activate(Activation kind, const at::Tensor& x) {
  switch (kind) {
    case Activation::silu:
      return at::silu(x);
    case Activation::gelu:
      return at::gelu(x);
    case Activation::gelu_new:
      return gelu_new(x);
    case Activation::gelu_fast:
      return gelu_fast(x);
    case Activation::gelu_pytorch_tanh:
      return at::gelu(x, "tanh");
    case Activation::quick_gelu:
      return x * at::sigmoid(1.702 * x);
    case Activation::relu:
      return at::relu(x);
    case Activation::relu2:
      return at::square(at::relu(x));
    case Activation::tanh:
      return at::tanh(x);
  }
  return {};
}

std::optional<at::Tensor> when_defined(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

}  // namespace

at::ScalarType wide_dtype(at::ScalarType dtype) {
  return dtype == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor moved(const at::Tensor& tensor, const c10::Device& device) {
  if (tensor.device() == device) return tensor;
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  return tensor.to(device);
}

Embedding::Embedding(std::string module_path, const WeightTensors& weights)
    : path(std::move(module_path)), weight(weights.at(path + ".weight")) {}

at::Tensor Embedding::operator()(const at::Tensor& indices, const ForwardTaps& taps) const {
  return taps.module(path, [&] { return at::embedding(weight, indices); });
}

Linear::Linear(std::string module_path, const WeightTensors& weights)
    : path(std::move(module_path)),
      weight(weights.at(path + ".weight")),
      bias(weights.find(path + ".bias")) {}

at::Tensor Linear::operator()(const at::Tensor& input, const ForwardTaps& taps) const {
  return taps.module(path, [&] { return at::linear(input, weight, when_defined(bias)); });
}

Conv1d::Conv1d(std::string module_path, const WeightTensors& weights)
    : path(std::move(module_path)),
      weight(weights.at(path + ".weight")),
      bias(weights.at(path + ".bias")) {}

at::Tensor Conv1d::operator()(const at::Tensor& input, const ForwardTaps& taps) const {
  return taps.module(path, [&] {
    auto shape = input.sizes().vec();
    shape.back() = weight.size(1);
    return at::addmm(bias, input.view({-1, input.size(-1)}), weight).view(shape);
  });
}

LayerNorm::LayerNorm(std::string module_path, const WeightTensors& weights, double norm_epsilon)
    : path(std::move(module_path)),
      weight(weights.at(path + ".weight")),
      bias(weights.at(path + ".bias")),
      epsilon(norm_epsilon) {}

at::Tensor LayerNorm::operator()(const at::Tensor& input, const ForwardTaps& taps) const {
  return taps.module(path,
                     [&] { return at::layer_norm(input, weight.sizes(), weight, bias, epsilon); });
}

RmsNorm::RmsNorm(std::string module_path, const WeightTensors& weights, double norm_epsilon)
    : path(std::move(module_path)), weight(weights.at(path + ".weight")), epsilon(norm_epsilon) {}

at::Tensor RmsNorm::operator()(const at::Tensor& input, const ForwardTaps& taps) const {
  return taps.module(path, [&] {
    const at::Tensor wide = input.to(wide_dtype(input.scalar_type()));
    const at::Tensor mean_square = wide.pow(2).mean(-1, true);
    taps.light_op(path, "aten.mean", mean_square);
    const at::Tensor normed = wide * at::rsqrt(mean_square + epsilon);
    return weight * normed.to(input.scalar_type());
  });
}

at::Tensor ActivationLayer::operator()(const at::Tensor& input, const ForwardTaps& taps) const {
  return taps.module(path, [&] { return activate(kind, input); });
}

at::Tensor dropout(const std::string& path, const at::Tensor& input, const ForwardTaps& taps) {
  return taps.module(path, [&] { return input; });
}

}  // namespace parity::model

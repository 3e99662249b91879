// Private to the decoder: the leaf modules of the five architectures, each with its path, weights
// and order of rounding.
#pragma once

#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/decoder_config.h"
#include "model/decoder/forward_taps.h"
#include "model/decoder/weight_tensors.h"

namespace parity::model {

/// The dtype that norms and rotary tables are computed in: float32, as in the library, and float64
/// for a model run in float64, where float32 would limit a run that is made to be the truth.
[[nodiscard]] at::ScalarType wide_dtype(at::ScalarType dtype);

/// The tensor itself where it is there already. A move is no operator of the model: nobody who
/// records operators sees it.
[[nodiscard]] at::Tensor moved(const at::Tensor& tensor, const c10::Device& device);

struct Embedding {
  Embedding(std::string path, const WeightTensors& weights);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& indices, const ForwardTaps& taps) const;

  std::string path;
  at::Tensor weight;  // [rows, hidden]
};

struct Linear {
  Linear(std::string path, const WeightTensors& weights);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input, const ForwardTaps& taps) const;

  std::string path;
  at::Tensor weight;  // [outputs, inputs]
  at::Tensor bias;    // [outputs] or undefined
};

/// gpt2's linear layer, with its weight the other way round.
struct Conv1d {
  Conv1d(std::string path, const WeightTensors& weights);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input, const ForwardTaps& taps) const;

  std::string path;
  at::Tensor weight;  // [inputs, outputs]
  at::Tensor bias;    // [outputs]
};

struct LayerNorm {
  LayerNorm(std::string path, const WeightTensors& weights, double epsilon);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input, const ForwardTaps& taps) const;

  std::string path;
  at::Tensor weight;  // [hidden]
  at::Tensor bias;    // [hidden]
  double epsilon;
};

/// Root-mean-square norm: computed wide, cast back, then times the weight.
struct RmsNorm {
  RmsNorm(std::string path, const WeightTensors& weights, double epsilon);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input, const ForwardTaps& taps) const;

  std::string path;
  at::Tensor weight;  // [hidden] or [head_dim]
  double epsilon;
};

struct ActivationLayer {
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input, const ForwardTaps& taps) const;

  std::string path;
  Activation kind;
};

/// A dropout does nothing outside training, but it is a module and has a tap.
[[nodiscard]] at::Tensor dropout(const std::string& path, const at::Tensor& input,
                                 const ForwardTaps& taps);

}  // namespace parity::model

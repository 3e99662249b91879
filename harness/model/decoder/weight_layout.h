// Which parameters a config asks for and which tensor of a state_dict is each of them. Works on
// names, shapes and dtypes alone; refuses to know torch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/decoder/decoder_config.h"
#include "model/weights/state_dict.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::model {

struct Parameter {
  std::string name;  ///< as the library's state_dict has it: "model.layers.0.mlp.up_proj.weight"
  tensor::Shape shape;
};

/// Every parameter of the architecture, the output layer's last, whether or not it is tied.
[[nodiscard]] std::vector<Parameter> parameters_of(const DecoderConfig& config);

struct WeightBinding {
  std::map<std::string, std::size_t> tensors;  ///< parameter name to position in StateDict::tensors
  std::uint64_t parameter_count = 0;           ///< elements; a tied weight counts once
  std::vector<std::string> notes;
};

/// Finds every parameter, with or without the leading `model.` or `transformer.`. Mask and rotary
/// buffers that older files hold are left out with a note. Throws Error(model) that lists missing,
/// unexpected and mis-shaped tensors.
[[nodiscard]] WeightBinding bind_weights(const DecoderConfig& config, const StateDict& weights);

/// The dtype to run in: `wanted`, or else the one that all bound weights have. Throws Error(model)
/// naming a weight whose dtype cannot run or differs from the others'.
[[nodiscard]] tensor::DType run_dtype(const StateDict& weights, const WeightBinding& binding,
                                      std::optional<tensor::DType> wanted);

}  // namespace parity::model

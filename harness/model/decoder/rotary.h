// Private to the decoder: rotary position embeddings, plain, linear and llama3.
// Other scalings of the angles are refused when the configuration is read.
#pragma once

#include <cstdint>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "model/decoder/forward_taps.h"
#include "model/decoder/rope_config.h"

namespace parity::model {

/// What every layer of one forward pass rotates by.
struct RotaryAngles {
  at::Tensor cosines;  // [position rows, tokens, head_dim], in the model's dtype
  at::Tensor sines;    // as above
};

class Rotary {
 public:
  Rotary(std::string path, const RopeConfig& config, std::int64_t head_dim,
         const c10::Device& device);

  /// `positions`: int64 [position rows, tokens]. Computed in float32 whatever `dtype` is (float64
  /// for float64), then cast: angles in 16 bits would merge positions above 256.
  [[nodiscard]] RotaryAngles operator()(const at::Tensor& positions, at::ScalarType dtype,
                                        const ForwardTaps& taps) const;

 private:
  std::string path_;
  at::Tensor inverse_frequencies_;  // float32 [head_dim / 2]
};

/// `states`: [batch, heads, tokens, head_dim].
[[nodiscard]] at::Tensor rotate(const at::Tensor& states, const RotaryAngles& angles);

}  // namespace parity::model

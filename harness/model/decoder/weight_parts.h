// Private to the decoder: which weights are on a device together, on which one, and which of them
// stay there. Counts bytes; refuses to know torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/decoder/decoder_config.h"
#include "model/decoder/weight_layout.h"
#include "model/weights/state_dict.h"
#include "run/settings.h"
#include "tensor/dtype.h"

namespace parity::model {

/// Parameters that are used one soon after the other.
struct WeightPart {
  std::vector<std::string> names;
  std::uint64_t size_bytes = 0;  ///< in the dtype of the run
};

/// Embeddings first, then one part for each layer, last the final norm and the output layer.
[[nodiscard]] std::vector<WeightPart> weight_parts(const DecoderConfig& config,
                                                   const StateDict& weights,
                                                   const WeightBinding& binding,
                                                   tensor::DType dtype);

/// The device of each part: neighbours lie together, and each device gets about as many bytes.
/// Throws Error(usage) when there are more devices than layers.
[[nodiscard]] std::vector<std::size_t> spread_over(std::size_t devices,
                                                   const std::vector<WeightPart>& parts);

enum class Stay : std::uint8_t { resident, streamed };

/// Of each part: the first ones on every device stay while the budget also holds two of the others
/// at a time. Throws Error(usage) with the least that is needed when the budget is below that.
[[nodiscard]] std::vector<Stay> stays_of(const std::vector<WeightPart>& parts,
                                         const std::vector<std::size_t>& devices,
                                         const run::WeightStreaming& streaming);

}  // namespace parity::model

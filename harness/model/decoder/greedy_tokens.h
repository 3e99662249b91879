// Private to the decoder: the tokens that it chooses itself, the best one at each step.
// No sampling, no temperature: what is compared must not depend on chance.
#pragma once

#include <cstdint>
#include <vector>

#include <c10/core/Device.h>

#include "model/decoder/network.h"
#include "model/decoder/token_inputs.h"

namespace parity::model {

/// [batch, steps]: what the model chooses behind the prompt, each choice fed to the next step. Of
/// equally large logits the one with the lowest index is the best. Throws Error(model) where a
/// logit is NaN: no token is the best then.
[[nodiscard]] std::vector<std::int64_t> greedy_tokens(const Network& network,
                                                      const DecoderConfig& config,
                                                      const LayerDevices& devices,
                                                      const TokenInputs& prompt,
                                                      std::int64_t steps);

}  // namespace parity::model

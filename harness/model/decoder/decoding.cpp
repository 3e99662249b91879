#include "model/decoder/decoding.h"

namespace parity::model {

Decoding::Decoding(const Network& network, const DecoderConfig& config, const LayerDevices& devices,
                   const TokenInputs& inputs, const ForwardTaps& taps)
    : network_(network), config_(config), devices_(devices), inputs_(inputs), taps_(taps) {
  for (const auto& window : config.windows) caches_.emplace_back(window);
}

at::Tensor Decoding::prefill() {
  return network_.forward(make_batch(inputs_, config_, devices_), &caches_, taps_);
}

at::Tensor Decoding::step(const std::vector<std::int64_t>& ids) {
  ++steps_;
  return network_.forward(make_step(inputs_, steps_, ids, config_, devices_), &caches_, taps_);
}

}  // namespace parity::model

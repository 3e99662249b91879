// The built-in decoder-only Transformer: runs a bare state_dict with its config.json, taps named as
// the Hugging Face modules are. A run is one pass over whole sequences, or, with tokens to decode,
// one pass over the prompt and one a token over a key/value cache that ends with the run.
#pragma once

#include <memory>

#include "model/model.h"
#include "run/settings.h"

namespace parity::model {

/// Opens `source.model` (a state_dict or safetensors file) with `source.config`.
/// Throws Error(usage) when no config is given, Error(model) when the config is not supported or
/// the weights do not fit it, Error(device) when the device is not there.
[[nodiscard]] std::unique_ptr<Model> open_decoder(const Source& source,
                                                  const run::Settings& settings);

}  // namespace parity::model

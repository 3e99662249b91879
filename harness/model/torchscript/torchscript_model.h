// Private to model/: TorchScript files as a Model, recorded per layer.
// Code in such a file runs, with all that it may do; what is promised of that is in the docs.
#pragma once

#include <memory>

#include "model/model.h"

namespace parity::model {

/// Opens `source.model`, which must be a TorchScript archive; custom operator libraries are loaded
/// already. Throws as open_model does.
[[nodiscard]] std::unique_ptr<Model> open_torchscript(const Source& source,
                                                      const run::Settings& settings);

}  // namespace parity::model

// Private to model/: exported programs of torch.export (`.pt2`) as a Model, recorded per layer.
// No code of the file runs but the operators that its graph names.
#pragma once

#include <memory>

#include "model/model.h"

namespace parity::model {

/// Opens `source.model`, which must be an exported program; custom operator libraries are loaded
/// already. Throws as open_model does.
[[nodiscard]] std::unique_ptr<Model> open_exported(const Source& source,
                                                   const run::Settings& settings);

}  // namespace parity::model

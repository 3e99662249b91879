// Opens a model for whichever job: operator libraries first, with the reason where one does not
// load.
#pragma once

#include <memory>

#include "model/model.h"

namespace parity::pipeline {

/// model::open_model. An operator library that does not load is explained from its file: what it
/// was built for, what it misses here, how to build it again.
[[nodiscard]] std::unique_ptr<model::Model> load_model(const model::Source& source,
                                                       const run::Settings& settings);

}  // namespace parity::pipeline

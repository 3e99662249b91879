// What a golden and a report say a run was made on and with. Collects what model and host know;
// judges none of it.
#pragma once

#include "model/model.h"
#include "pipeline/record/capture_settings.h"
#include "run/provenance.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Model, machine and what was captured; of a model that has run, whether it drew random numbers.
[[nodiscard]] run::Provenance run_provenance(const model::Model& model,
                                             const run::Settings& settings, const TapChoice& taps);

/// Whether the provenance says so.
[[nodiscard]] bool drew_random_numbers(const run::Provenance& provenance);

}  // namespace parity::pipeline

// What a golden and a report say a run was made on and with. Collects what model and host know;
// judges none of it.
#pragma once

#include "model/model.h"
#include "pipeline/record/capture_settings.h"
#include "run/probe.h"
#include "run/provenance.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Model, machine, what was captured, and everything around the run that can change its numbers;
/// of a model that has run, whether it drew random numbers, and the libraries that it loaded. The
/// probes run on the model's device, after the libraries were looked at.
[[nodiscard]] run::Provenance run_provenance(const model::Model& model,
                                             const run::Settings& settings, const TapChoice& taps,
                                             run::Probing probing);

/// Whether the provenance says so.
[[nodiscard]] bool drew_random_numbers(const run::Provenance& provenance);

}  // namespace parity::pipeline

// The fact by which a golden says that its model drew random numbers.
#pragma once

#include "model/model.h"
#include "run/provenance.h"

namespace parity::pipeline {

/// Of a model that has run every case.
void note_random_numbers(run::Provenance& provenance, const model::Model& model);

[[nodiscard]] bool drew_random_numbers(const run::Provenance& provenance);

}  // namespace parity::pipeline

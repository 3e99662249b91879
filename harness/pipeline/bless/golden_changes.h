// In what two goldens differ before any value is looked at: weights, cases, inputs, taps.
#pragma once

#include <vector>

#include "golden_store/golden_reader.h"
#include "report/data/blessing.h"

namespace parity::pipeline {

[[nodiscard]] std::vector<report::WeightChange> weight_changes(const run::ModelDescription& before,
                                                               const run::ModelDescription& after);

/// Cases that only one has; other inputs, truth or noise of those that both have.
[[nodiscard]] std::vector<report::CaseChange> case_changes(const golden_store::GoldenReader& before,
                                                           const golden_store::GoldenReader& after);

/// Of cases that both have.
[[nodiscard]] std::vector<report::TapChange> tap_changes(const golden_store::GoldenReader& before,
                                                         const golden_store::GoldenReader& after);

}  // namespace parity::pipeline

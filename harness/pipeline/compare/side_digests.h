// What the files of a comparison hold, as digests: a name that stays while its contents change is
// seen by them. Ignores when, where and under which name something was recorded.
#pragma once

#include "golden_store/golden_reader.h"
#include "report/data/report.h"
#include "run/model_description.h"

namespace parity::pipeline {

/// Of a side that replays a model.
[[nodiscard]] report::SideDigests digests_of(const run::ModelDescription& model);

/// Of a side that is a golden: its weights, its inputs, and what it recorded of them.
[[nodiscard]] report::SideDigests digests_of(const golden_store::GoldenReader& golden);

}  // namespace parity::pipeline

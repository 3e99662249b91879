// A case that only one of two recordings has: every tap of it as missing or additional, so that a
// lost case fails like a lost tap. Reads no value.
#pragma once

#include "capture/tap_filter.h"
#include "gate/gate.h"
#include "report/data/report.h"
#include "run/recording.h"

namespace parity::pipeline {

/// Every tap of it that `filter` keeps, missing or additional.
[[nodiscard]] report::Case one_sided_case(const run::CaseRecord& record, gate::Unpaired side,
                                          capture::TapFilter& filter);

}  // namespace parity::pipeline

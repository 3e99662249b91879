// One case of a selftest: its taps are read once, for the whole runs and for the faults in each.
// Knows no fault by name, and no exit code.
#pragma once

#include <cstddef>

#include "capture/tap_filter.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/truth_source.h"
#include "pipeline/record/progress.h"
#include "pipeline/selftest/selftest_gate.h"
#include "pipeline/selftest/selftest_tally.h"

namespace parity::pipeline {

/// What all cases have in common.
struct SelftestSetting {
  const golden_store::GoldenReader& golden;
  const TruthSource& truth;
  capture::TapFilter& filter;
  const GateOnTrial& gate;
  Progress& progress;
};

void selftest_case(const SelftestSetting& setting, std::size_t case_index, SelftestTally& tally);

}  // namespace parity::pipeline

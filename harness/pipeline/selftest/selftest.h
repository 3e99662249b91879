// `parity selftest`: is the gate one that can turn red? Faults are put into a recorded run in
// memory and go the way of every comparison, under the policy that is used for gating.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/rule_book.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/progress.h"
#include "report/data/report.h"
#include "report/data/selftest.h"
#include "run/verdict.h"

namespace parity::pipeline {

struct SelftestRequest {
  std::filesystem::path golden;
  std::vector<std::string> cases;  ///< by name; empty: all
  TapChoice taps;
  std::optional<std::filesystem::path> truth;           ///< as CompareRequest's
  AttributionPass attribution = AttributionPass::none;  ///< forced: what a layer introduces is
                                                        ///< judged too
  gate::RuleBook policy = gate::default_rules();
  run::Strictness strictness = run::Strictness::normal;
  std::string command;  ///< as typed, for the report
};

/// Gives a report and everything in it their verdicts. The gate of every comparison is the one of
/// judgement.h.
using Gate = std::function<void(report::Report&, const gate::RuleBook&, run::Strictness)>;

/// Reads every tap of the golden once; memory holds one tap with a spoilt copy, and some
/// taps before it. Throws Error(usage) on a policy or a case that the golden has nothing for,
/// and Error(incompatible) when no tap of it can be spoilt.
[[nodiscard]] report::Selftest selftest(const SelftestRequest& request, Progress& progress);

/// The same with `gate` on trial.
[[nodiscard]] report::Selftest selftest_gate(const SelftestRequest& request, const Gate& gate,
                                             Progress& progress);

}  // namespace parity::pipeline

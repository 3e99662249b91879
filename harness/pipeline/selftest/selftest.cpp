#include "pipeline/selftest/selftest.h"

#include <algorithm>
#include <utility>

#include "error/error.h"
#include "pipeline/compare/case_lookup.h"
#include "pipeline/compare/truth_source.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/policy_check.h"
#include "pipeline/selftest/selftest_case.h"
#include "pipeline/selftest/selftest_gate.h"
#include "pipeline/selftest/selftest_tally.h"

namespace parity::pipeline {
namespace {

/// Places of the cases that were asked for, in the golden's order.
std::vector<std::size_t> chosen_cases(const golden_store::GoldenReader& golden,
                                      const std::vector<std::string>& names) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : names) {
    if (find_case(golden, name)) continue;
    std::string known;
    for (const run::CaseRecord& one : golden.cases())
      known += (known.empty() ? "" : ", ") + one.name;
    throw Error(ErrorKind::usage,
                golden.path().string() + " has no case '" + name + "'; it has: " + known);
  }
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    const std::string& name = golden.cases()[i].name;
    if (names.empty() || std::find(names.begin(), names.end(), name) != names.end())
      chosen.push_back(i);
  }
  return chosen;
}

void check(const SelftestRequest& request, const golden_store::GoldenReader& golden,
           const TruthSource& truth) {
  check_policy(request.policy, golden, "",
               {measured_by(request.attribution), measured_against(truth.file())});
}

/// A report without any case.
void lose_every_case(const GateOnTrial& gate, SelftestTally& tally) {
  const GateAnswer answer = gate.ask(std::vector<report::Case>{});
  report::FaultPlace place;
  if (!answer.failing.empty()) place.said = answer.failing.front().said;
  tally.injected(kNoCases, {std::move(place), Weight::gross, answer.light});
}

}  // namespace

report::Selftest selftest_gate(const SelftestRequest& request, const Gate& gate,
                               Progress& progress) {
  const golden_store::GoldenReader golden(request.golden);
  const std::vector<std::size_t> cases = chosen_cases(golden, request.cases);
  const TruthSource truth(golden, request.truth, WeightsRule::same);
  check(request, golden, truth);
  const GateOnTrial on_trial(request, gate);
  capture::TapFilter filter(request.taps.layers, request.taps.skip);
  SelftestTally tally;
  for (const std::size_t index : cases)
    selftest_case({golden, truth, filter, on_trial, progress}, index, tally);
  refuse_unmatched_globs(filter.unmatched());
  if (std::string remark = filter.remark(); !remark.empty()) tally.note(std::move(remark));
  lose_every_case(on_trial, tally);
  report::Selftest result;
  result.golden = request.golden.string();
  result.model_file = golden.header().model.file_name;
  result.model_kind = golden.header().model.kind;
  result.policy_name = request.policy.name;
  result.strictness = request.strictness;
  result.cases = cases.size();
  result.repro = request.command;
  tally.finish(result);
  return result;
}

report::Selftest selftest(const SelftestRequest& request, Progress& progress) {
  return selftest_gate(request, judge_report, progress);
}

}  // namespace parity::pipeline

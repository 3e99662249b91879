#include "pipeline/selftest/selftest_gate.h"

#include <utility>

#include "pipeline/attribute/attribution.h"

namespace parity::pipeline {
namespace {

std::string first_of(const std::vector<std::string>& reasons) {
  return reasons.empty() ? std::string{} : reasons.front();
}

/// What fails of a case.
class Failing {
 public:
  Failing(run::Strictness strictness, std::vector<report::FaultPlace>& found)
      : strictness_(strictness), found_(found) {}

  void add(const report::Case& one) {
    for (const report::Tap& tap : one.taps)
      add(one.name, run::to_string(tap.id), tap.verdict, tap.rule, tap.reasons);
    for (const report::Logits& logits : one.logits) {
      add(one.name, "logits of " + run::to_string(logits.id), logits.verdict, logits.rule,
          logits.reasons);
    }
    if (one.decode)
      add(one.name, "decoded tokens", one.decode->verdict, one.decode->rule, one.decode->reasons);
  }

 private:
  void add(const std::string& case_name, std::string what, run::Verdict verdict,
           const std::string& rule, const std::vector<std::string>& reasons) {
    if (run::passes(verdict, strictness_)) return;
    std::string said = first_of(reasons);
    if (said.empty()) said = run::name(verdict);
    found_.push_back({case_name, std::move(what), rule, std::move(said)});
  }

  const run::Strictness strictness_;
  std::vector<report::FaultPlace>& found_;
};

}  // namespace

GateAnswer GateOnTrial::ask(std::vector<report::Case> cases) const {
  report::Report report;
  report.cases = std::move(cases);
  gate_(report, request_.policy, request_.strictness);
  GateAnswer answer;
  answer.light = report.exit_code == 0 ? Light::green : Light::red;
  Failing failing(request_.strictness, answer.failing);
  for (const report::Case& one : report.cases) failing.add(one);
  if (answer.light == Light::red && answer.failing.empty()) {
    const std::string name = report.cases.empty() ? std::string{} : report.cases.front().name;
    answer.failing.push_back({name, "", "", first_of(report.reasons)});
  }
  answer.cases = std::move(report.cases);
  return answer;
}

GateAnswer GateOnTrial::ask(report::Case one, const TrialInputs& given) const {
  add_decode({{given.inputs}, {given.inputs}}, given.passes, one);
  if (request_.attribution == AttributionPass::forced) {
    // Fed with the reference's values, every other layer gives the reference's: what a layer
    // introduces there is its fault.
    const report::Case forced = one;
    add_introduced(forced, one);
  }
  std::vector<report::Case> cases;
  cases.push_back(std::move(one));
  return ask(std::move(cases));
}

}  // namespace parity::pipeline

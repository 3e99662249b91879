#include "pipeline/judge/judgement.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gate/gate.h"
#include "gate/rules_digest.h"
#include "gate/truth.h"
#include "pipeline/judge/tap_judgement.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

gate::JudgedTap judged(const report::Tap& tap) {
  gate::JudgedTap result{tap.id, tap.verdict, tap.elements, gate::Content::varied};
  if (tap.facts) result.content = gate::content_of(*tap.facts);
  return result;
}

std::vector<gate::JudgedCase> judged_cases(const report::Report& report) {
  std::vector<gate::JudgedCase> cases;
  for (const report::Case& one : report.cases) {
    gate::JudgedCase result{one.name, {}, {}, one.untested_output};
    for (const report::Tap& tap : one.taps) result.taps.push_back(judged(tap));
    for (const report::Logits& logits : one.logits) {
      result.logits.push_back(
          {logits.id, logits.verdict, logits.facts.positions, gate::Content::varied});
    }
    if (one.decode) {
      result.logits.push_back({one.decode->id, one.decode->verdict, one.decode->logits.positions,
                               gate::Content::varied});
    }
    cases.push_back(std::move(result));
  }
  return cases;
}

/// What late bounds of one rule had to judge.
struct Late {
  bool introduced = false;
  bool truth = false;

  /// A bound that had nothing to judge, and was not to fail for it.
  [[nodiscard]] bool left_aside(const gate::Bound& bound) const {
    if (bound.presence == gate::Presence::required) return false;
    return bound.metric == gate::kTruthRatio ? !truth : !introduced;
  }
};

void add_bounds(report::Report& report, const std::string& scope, const gate::Rule& rule,
                const Late& late = {}) {
  for (const gate::Bound& bound : rule.bounds) {
    if (late.left_aside(bound)) {
      if (std::find(report.unmeasured_metrics.begin(), report.unmeasured_metrics.end(),
                    bound.metric) == report.unmeasured_metrics.end())
        report.unmeasured_metrics.push_back(bound.metric);
      continue;
    }
    report.policy_bounds.push_back(
        {scope, bound.metric, bound.warn, bound.fail, bound.origin, rule.id,
         bound.presence == gate::Presence::optional ? report::Needed::where_measured
                                                    : report::Needed::always});
  }
}

/// The bounds that had a say: those of the rules that judged, for each dtype that they judged.
void add_bounds_in_force(report::Report& report, const gate::RuleBook& policy) {
  report.policy_bounds.clear();
  report.unmeasured_metrics.clear();
  std::map<std::string, std::map<tensor::DType, Late>> judged;  // by rule
  std::set<std::string> of_logits;
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      const std::optional<tensor::DType> dtype = tensor::dtype_from_name(tap.bounds_dtype);
      if (!dtype) continue;
      Late& late = judged[tap.rule][*dtype];
      late.introduced = late.introduced || tap.introduced.has_value();
      late.truth = late.truth || tap.truth.has_value();
    }
    for (const report::Logits& logits : one.logits) of_logits.insert(logits.rule);
    if (one.decode) of_logits.insert(one.decode->rule);
  }
  for (const gate::Rule& rule : policy.taps) {
    const auto found = judged.find(rule.id);
    if (found == judged.end()) continue;
    for (const tensor::DType each : tensor::all_dtypes()) {
      const auto late = found->second.find(each);
      if (late != found->second.end())
        add_bounds(report, std::string(tensor::name(each)), rule, late->second);
    }
  }
  for (const gate::Rule& rule : policy.logits) {
    if (of_logits.count(rule.id) != 0) add_bounds(report, "logits", rule);
  }
}

/// By which the tap was judged.
double truth_factor(const gate::RuleBook& policy, const std::string& case_name,
                    const report::Tap& tap) {
  const tensor::DType dtype = tensor::dtype_from_name(tap.bounds_dtype).value();
  return gate::limits_for(policy, {tap.id, dtype, case_name})
      .policy.for_dtype(tap.facts->ulp.dtype)
      .truth_factor;
}

report::Result result_of(const gate::GateResult& result) {
  return result.decision == gate::Decision::passed ? report::Result::pass : report::Result::fail;
}

std::string name_of(gate::WorseSide side) {
  switch (side) {
    case gate::WorseSide::reference:
      return "reference";
    case gate::WorseSide::candidate:
      return "candidate";
    case gate::WorseSide::neither:
      break;
  }
  return "neither";
}

/// Says which side is further from the truth, if any tap has one.
void add_truth_summary(report::Report& report, const gate::RuleBook& policy) {
  report.truth.reset();
  std::vector<gate::TruthEntry> entries;
  std::set<std::string> dtypes;
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      if (!tap.truth || !tap.facts) continue;
      dtypes.insert(tap.truth->dtype);
      // What the reference does not reproduce says nothing of a side.
      if (tap.noise && tap.noise->differing > 0) continue;
      entries.push_back({one.name, tap.id, tap.facts->ulp.dtype, tap.truth->reference_nrmse,
                         tap.truth->candidate_nrmse,
                         truth_factor(policy, report::recorded_name(one), tap)});
    }
  }
  if (dtypes.empty()) return;
  std::string dtype;
  for (const std::string& each : dtypes) dtype += (dtype.empty() ? "" : " and ") + each;
  gate::TruthSummary found = gate::summarize_truth(entries, dtype);
  report.truth = report::TruthSummary{dtype,
                                      report.truth_file,
                                      name_of(found.worse),
                                      found.taps,
                                      found.reference_worse,
                                      found.candidate_worse,
                                      std::move(found.sentence)};
}

}  // namespace

void conclude(report::Report& report, run::Strictness strictness) {
  const std::vector<gate::JudgedCase> judged = judged_cases(report);
  for (std::size_t i = 0; i < judged.size(); ++i)
    report.cases[i].result = result_of(gate::overall({judged[i]}, strictness));
  gate::GateResult result = gate::overall(judged, strictness);
  report.result = result_of(result);
  report.exit_code = result.exit_code();
  report.reasons = std::move(result.reasons);
  if (report.truth && !report.truth->sentence.empty())
    report.reasons.push_back(report.truth->sentence);
  report.first_divergence.reset();
  if (result.first_divergence) {
    report.first_divergence =
        report::Place{result.first_divergence->case_name, result.first_divergence->tap};
  }
  report.totals.passed = result.taps.passed;
  report.totals.warned = result.taps.warned;
  report.totals.failed = result.taps.failed;
  report.totals.taps = 0;
  report.totals.elements = 0;
  for (const report::Case& one : report.cases) {
    report.totals.taps += one.taps.size();
    for (const report::Tap& tap : one.taps) {
      if (tap.facts) report.totals.elements += tap.facts->elements;
    }
  }
}

void judge_report(report::Report& report, const gate::RuleBook& policy,
                  run::Strictness strictness) {
  report.policy_name = policy.name;
  report.policy_digest = tensor::to_hex(gate::digest_of_rules(policy));
  for (report::Case& one : report.cases) judge_case(one, policy, report.asked_dtype);
  add_truth_summary(report, policy);
  conclude(report, strictness);
  add_bounds_in_force(report, policy);
}

}  // namespace parity::pipeline

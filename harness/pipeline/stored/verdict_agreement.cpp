#include "pipeline/stored/verdict_agreement.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gate/looseness.h"
#include "gate/rule_book.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/tap_judgement.h"

namespace parity::pipeline {
namespace {

constexpr const char* kLogitsScope = "logits";

/// The stated bounds of one rule as a policy of nothing else.
gate::RuleBook book_of(const report::Report& report, const std::string& rule,
                       const std::string& scope) {
  gate::Rule stated;
  stated.id = rule;
  stated.truth_factor = gate::kLargestTruthFactor;
  for (const report::BoundText& bound : report.policy_bounds) {
    if (bound.rule != rule || bound.scope != scope) continue;
    const bool is_needed = bound.needed == report::Needed::always;
    stated.bounds.push_back({bound.metric, bound.warn, bound.fail, bound.origin, 0,
                             is_needed ? gate::Presence::required : gate::Presence::optional});
  }
  gate::RuleBook book;
  if (rule.empty()) return book;
  if (scope == kLogitsScope) {
    book.logits.push_back(std::move(stated));
  } else {
    stated.selector.dtypes = {tensor::dtype_from_name(scope).value()};
    book.taps.push_back(std::move(stated));
  }
  return book;
}

class StatedRules {
 public:
  explicit StatedRules(const report::Report& report) : report_(report) {}

  const gate::RuleBook& book(const std::string& rule, const std::string& scope) {
    const auto found = books_.find({rule, scope});
    if (found != books_.end()) return found->second;
    return books_.emplace(std::pair{rule, scope}, book_of(report_, rule, scope)).first->second;
  }

 private:
  const report::Report& report_;
  std::map<std::pair<std::string, std::string>, gate::RuleBook> books_;
};

Contradiction better_than(run::Verdict stated, run::Verdict best, const std::string& what,
                          const std::string& rule) {
  if (stated >= best) return std::nullopt;
  return fmt::format(
      "{}: {}", what,
      disagreement("verdict", run::name(stated),
                   rule.empty() ? "its facts, which give"
                                : "its facts, which by the bounds of " + rule + " give",
                   run::name(best)));
}

/// What a logits verdict depends on.
report::Case outputs_of(const report::Case& item) {
  report::Case outputs;
  outputs.name = item.name;
  outputs.recorded_as = item.recorded_as;
  outputs.decode = item.decode;
  outputs.logits = item.logits;
  for (const report::Tap& tap : item.taps) {
    if (tap.role == run::Role::logits) outputs.taps.push_back(tap);
  }
  return outputs;
}

Contradiction of_logits(const report::Case& item, const report::Report& report,
                        StatedRules& rules) {
  if (item.logits.empty()) return std::nullopt;
  std::vector<std::string> ids;
  for (const report::Logits& logits : item.logits) ids.push_back(logits.rule);
  if (item.decode) ids.push_back(item.decode->rule);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  report::Case outputs = outputs_of(item);
  for (const std::string& id : ids) {
    judge_case(outputs, rules.book(id, kLogitsScope), report.asked_dtype);
    for (std::size_t i = 0; i < item.logits.size(); ++i) {
      const report::Logits& stated = item.logits[i];
      if (stated.rule != id) continue;
      if (auto found = better_than(stated.verdict, outputs.logits[i].verdict,
                                   "logits of " + run::to_string(stated.id), id)) {
        return found;
      }
    }
    if (!item.decode || item.decode->rule != id) continue;
    if (auto found = better_than(item.decode->verdict, outputs.decode->verdict, "decode", id))
      return found;
  }
  return std::nullopt;
}

/// What follows from verdicts; all but what stays as it is stated.
struct Conclusion {
  report::Result result;
  int exit_code;
  std::vector<std::string> reasons;
  std::optional<report::Place> first_divergence;
  report::Totals totals;
  std::vector<report::Result> cases;
};

Conclusion conclusion_of(const report::Report& report) {
  Conclusion conclusion{report.result,           report.exit_code, report.reasons,
                        report.first_divergence, report.totals,    {}};
  for (const report::Case& item : report.cases) conclusion.cases.push_back(item.result);
  return conclusion;
}

void restore(Conclusion stated, report::Report& report) {
  for (std::size_t i = 0; i < stated.cases.size(); ++i) report.cases[i].result = stated.cases[i];
  report.result = stated.result;
  report.exit_code = stated.exit_code;
  report.reasons = std::move(stated.reasons);
  report.first_divergence = std::move(stated.first_divergence);
  report.totals = stated.totals;
}

std::string name_of(report::Result result) {
  return result == report::Result::pass ? "pass" : "fail";
}

std::string name_of(const std::optional<report::Place>& place) {
  if (!place) return "null";
  return fmt::format("{} of case '{}'", run::to_string(place->tap), place->case_name);
}

Contradiction between(const report::Totals& stated, const report::Totals& concluded) {
  struct Count {
    const char* name;
    std::uint64_t report::Totals::*value;
  };
  for (const Count& count :
       {Count{"taps", &report::Totals::taps}, Count{"passed", &report::Totals::passed},
        Count{"warned", &report::Totals::warned}, Count{"failed", &report::Totals::failed},
        Count{"elements", &report::Totals::elements}}) {
    if (stated.*count.value != concluded.*count.value) {
      return disagreement(
          fmt::format("totals.{}", count.name), fmt::format("{}", stated.*count.value),
          "the taps of all cases, which give", fmt::format("{}", concluded.*count.value));
    }
  }
  return std::nullopt;
}

Contradiction between(const Conclusion& stated, const report::Report& concluded) {
  for (std::size_t i = 0; i < stated.cases.size(); ++i) {
    if (stated.cases[i] != concluded.cases[i].result) {
      return fmt::format(
          "case '{}': {}", concluded.cases[i].name,
          disagreement("verdict", name_of(stated.cases[i]), "the verdicts in it, which give",
                       name_of(concluded.cases[i].result)));
    }
  }
  if (stated.result != concluded.result) {
    return disagreement("verdict", name_of(stated.result), "those of the cases, which give",
                        name_of(concluded.result));
  }
  if (name_of(stated.first_divergence) != name_of(concluded.first_divergence)) {
    return disagreement("first_divergence", name_of(stated.first_divergence),
                        "the first verdict that fails so, of", name_of(concluded.first_divergence));
  }
  return between(stated.totals, concluded.totals);
}

}  // namespace

Contradiction contradiction_of_verdicts(const report::Case& item, const report::Report& report) {
  StatedRules rules(report);
  for (const report::Tap& stated : item.taps) {
    report::Tap tap = stated;
    judge_tap(tap, {rules.book(stated.rule, stated.bounds_dtype), report::recorded_name(item),
                    report.asked_dtype});
    if (auto found =
            better_than(stated.verdict, tap.verdict, run::to_string(stated.id), stated.rule)) {
      return found;
    }
  }
  return of_logits(item, report, rules);
}

Contradiction contradiction_of_conclusion(report::Report& report) {
  Conclusion stated = conclusion_of(report);
  conclude(report, run::Strictness::normal);
  Contradiction found = between(stated, report);
  if (found) {
    conclude(report, run::Strictness::strict);
    if (!between(stated, report)) found.reset();
  }
  restore(std::move(stated), report);
  return found;
}

}  // namespace parity::pipeline

#include "gate/rule_book.h"

#include <algorithm>

#include "run/glob.h"

namespace parity::gate {
namespace {

template <typename T>
bool is_in(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool any_names(const std::vector<std::string>& globs, const run::TapId& tap) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return run::names_tap(glob, tap);
         });
}

bool any_matches(const std::vector<std::string>& globs, const std::string& text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return run::glob_matches(glob, text);
         });
}

bool matches_but_dtype(const Selector& selector, const run::TapId& tap,
                       const std::string& case_name) {
  return any_names(selector.layers, tap) &&
         (selector.kinds.empty() || is_in(selector.kinds, tap.kind)) &&
         (selector.ops.empty() ||
          (tap.kind == run::TapKind::op && any_matches(selector.ops, tap.op))) &&
         any_matches(selector.cases, case_name);
}

/// Entries for every dtype that say no more than how the truth judges.
Policy truths_of(const RuleBook& book, const Rule* rule) {
  Policy policy;
  policy.name = book.name;
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    DTypePolicy entry = default_policy().for_dtype(dtype);
    entry.bounds.clear();
    const auto own = book.truth_factors.find(dtype);
    if (own != book.truth_factors.end()) entry.truth_factor = own->second;
    if (rule != nullptr && rule->truth_factor) entry.truth_factor = *rule->truth_factor;
    policy.dtypes.push_back(std::move(entry));
  }
  return policy;
}

}  // namespace

bool matches(const Selector& selector, const TapQuery& query) {
  const bool of_dtype = selector.dtypes.empty() ? !tensor::is_integral(query.dtype)
                                                : is_in(selector.dtypes, query.dtype);
  return of_dtype && matches_but_dtype(selector, query.tap, query.case_name);
}

bool matches_output(const Selector& selector, const TapQuery& query) {
  return matches_but_dtype(selector, query.tap, query.case_name);
}

const Rule* find_rule(const RuleBook& book, const TapQuery& query) {
  const auto found = std::find_if(book.taps.begin(), book.taps.end(),
                                  [&](const Rule& rule) { return matches(rule.selector, query); });
  return found == book.taps.end() ? nullptr : &*found;
}

const Rule* find_logits_rule(const RuleBook& book, const run::TapId& output,
                             const std::string& case_name) {
  const auto found = std::find_if(book.logits.begin(), book.logits.end(), [&](const Rule& rule) {
    return matches_but_dtype(rule.selector, output, case_name);
  });
  return found == book.logits.end() ? nullptr : &*found;
}

Limits limits_for(const RuleBook& book, const TapQuery& query) {
  Limits limits;
  limits.rule = find_rule(book, query);
  limits.policy = truths_of(book, limits.rule);
  if (limits.rule == nullptr) return limits;
  const auto entry =
      std::find_if(limits.policy.dtypes.begin(), limits.policy.dtypes.end(),
                   [&](const DTypePolicy& each) { return each.dtype == query.dtype; });
  for (const Bound& bound : limits.rule->bounds) {
    if (bound.metric == kTruthRatio) {
      limits.truth_ratio = bound;
    } else if (bound.metric.rfind(kIntroducedPrefix, 0) == 0) {
      limits.introduced.push_back(bound);
      limits.introduced.back().metric.erase(0, kIntroducedPrefix.size());
    } else {
      entry->bounds.push_back(bound);
    }
  }
  return limits;
}

Limits logits_limits_for(const RuleBook& book, const run::TapId& output,
                         const std::string& case_name) {
  Limits limits;
  limits.rule = find_logits_rule(book, output, case_name);
  limits.policy = truths_of(book, limits.rule);
  if (limits.rule != nullptr) limits.policy.logits = limits.rule->bounds;
  return limits;
}

}  // namespace parity::gate

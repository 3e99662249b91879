#include "gate/rule_book.h"

#include <algorithm>

namespace parity::gate {
namespace {

template <typename T>
bool is_in(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// A query with what all rules ask of it, made once.
struct Asked {
  const TapQuery& query;
  const std::string full_name;

  explicit Asked(const TapQuery& of) : query(of), full_name(run::to_string(of.tap)) {}
};

bool any_names(const std::vector<run::Glob>& globs, const Asked& asked) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const run::Glob& glob) {
           return glob.matches(asked.query.tap.path) || glob.matches(asked.full_name);
         });
}

bool any_matches(const std::vector<run::Glob>& globs, const std::string& text) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(),
                                      [&](const run::Glob& glob) { return glob.matches(text); });
}

/// What costs least is asked first: a policy may have thousands of rules.
bool matches(const Selector& selector, RuleKind kind, const Asked& asked) {
  const run::TapId& tap = asked.query.tap;
  const bool of_dtype = selector.dtypes.empty() ? !tensor::is_integral(asked.query.dtype)
                                                : is_in(selector.dtypes, asked.query.dtype);
  return (kind == RuleKind::logits || of_dtype) &&
         (selector.kinds.empty() || is_in(selector.kinds, tap.kind)) &&
         any_names(selector.layers, asked) &&
         (selector.ops.empty() ||
          (tap.kind == run::TapKind::op && any_matches(selector.ops, tap.op))) &&
         any_matches(selector.cases, asked.query.case_name);
}

const Rule* first_match(const std::vector<Rule>& rules, RuleKind kind, const TapQuery& query) {
  const Asked asked(query);
  const auto found = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
    return matches(rule.selector, kind, asked);
  });
  return found == rules.end() ? nullptr : &*found;
}

/// Entries for every dtype that say no more than how the truth judges.
Policy truths_of(const RuleBook& book, const Rule* rule) {
  Policy policy;
  policy.name = book.name;
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    DTypePolicy entry;
    entry.dtype = dtype;
    entry.truth_factor = default_policy().for_dtype(dtype).truth_factor;
    const auto own = book.truth_factors.find(dtype);
    if (own != book.truth_factors.end()) entry.truth_factor = own->second;
    if (rule != nullptr && rule->truth_factor) entry.truth_factor = *rule->truth_factor;
    policy.dtypes.push_back(std::move(entry));
  }
  return policy;
}

}  // namespace

bool is_late(std::string_view metric) {
  return metric == kTruthRatio || metric.rfind(kIntroducedPrefix, 0) == 0;
}

std::vector<std::size_t> matching(const std::vector<Rule>& rules, RuleKind kind,
                                  const TapQuery& query) {
  const Asked asked(query);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (matches(rules[i].selector, kind, asked)) places.push_back(i);
  }
  return places;
}

const Rule* find_rule(const RuleBook& book, const TapQuery& query) {
  return first_match(book.taps, RuleKind::taps, query);
}

const Rule* find_logits_rule(const RuleBook& book, const run::TapId& output,
                             const std::string& case_name) {
  // Whatever their dtype.
  return first_match(book.logits, RuleKind::logits, {output, tensor::DType::float32, case_name});
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
    } else if (is_late(bound.metric)) {
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

#include "gate/rule_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "error/error.h"
#include "gate/looseness.h"
#include "gate/metrics.h"

namespace parity::gate {
namespace {

/// What validation needs to know of a metric, whichever facts it is of.
struct Known {
  std::string_view name;  ///< without "introduced."
  std::string_view unit;
  Direction direction = Direction::higher_is_worse;
  bool introduced = false;
};

template <typename M>
std::optional<Known> known(const M* metric, bool introduced) {
  if (metric == nullptr) return std::nullopt;
  return Known{metric->name, metric->unit, metric->direction, introduced};
}

std::optional<Known> known_of_tap(std::string_view metric) {
  if (metric == kTruthRatio) return Known{kTruthRatio, "", Direction::higher_is_worse, false};
  const bool introduced = metric.rfind(kIntroducedPrefix, 0) == 0;
  if (introduced) metric.remove_prefix(kIntroducedPrefix.size());
  return known(find_tensor_metric(metric), introduced);
}

/// Rules for taps and rules for logits bound different metrics.
enum class Kind { taps, logits };

Known metric_of(const RuleBook& book, Kind kind, const Bound& bound) {
  const auto found = kind == Kind::taps ? known_of_tap(bound.metric)
                                        : known(find_logits_metric(bound.metric), false);
  if (found) return *found;
  if (kind == Kind::taps && find_logits_metric(bound.metric) != nullptr)
    refuse(book, bound.line, bound.metric + " is a metric of logits; bound it under [[logits]]");
  if (kind == Kind::logits && known_of_tap(bound.metric))
    refuse(book, bound.line, bound.metric + " is a metric of taps; bound it under [[rule]]");
  refuse(
      book, bound.line,
      fmt::format("there is no metric '{}'; docs/metrics.md lists those that are", bound.metric));
}

void check_limits(const RuleBook& book, const Bound& bound, const Known& metric) {
  if (!(bound.warn >= 0) || !(bound.fail >= 0)) {
    refuse(book, bound.line,
           fmt::format("the limits of {} are {} and {}; give numbers of 0 or more", bound.metric,
                       bound.warn, bound.fail));
  }
  if (bound.warn != bound.fail && is_beyond(bound.warn, bound.fail, metric.direction)) {
    refuse(book, bound.line,
           fmt::format("the warn limit {} of {} lies beyond its fail limit {}; swap them",
                       bound.warn, bound.metric, bound.fail));
  }
  if (metric.name == kTruthRatio && !(bound.warn >= 1)) {
    refuse(
        book, bound.line,
        fmt::format("a truth.ratio of {} asks the candidate to be better than the reference; use "
                    "a number from 1 on",
                    bound.warn));
  }
}

/// Why a bound lets everything pass; empty when it does not.
std::string looseness_of(const Bound& bound, const Known& metric) {
  if (metric.direction == Direction::higher_is_worse) return looseness(metric.name, bound.fail);
  return bound.fail > 1 ? "can never be kept: the metric is 1 at best" : std::string{};
}

/// A bound that can turn a wrong result red by itself: not cosine, which accepts any factor, and
/// not a lower limit of 0.
bool can_fail(const Bound& bound, const Known& metric) {
  if (metric.direction == Direction::higher_is_worse)
    return can_judge_alone(metric.name, bound.fail);
  return metric.name != "cosine" && bound.fail > 0;
}

void check_bounds(const RuleBook& book, Kind kind, const Rule& rule) {
  if (rule.bounds.empty())
    refuse(book, rule.line, "the rule has no bound, so that nothing could be judged by it");
  bool any_can_fail = false;
  for (std::size_t i = 0; i < rule.bounds.size(); ++i) {
    const Bound& bound = rule.bounds[i];
    const Known metric = metric_of(book, kind, bound);
    check_limits(book, bound, metric);
    if (bound.origin.empty())
      refuse(book, bound.line, "the bound on " + bound.metric + " has no reason");
    if (const std::string text = looseness_of(bound, metric); !text.empty()) {
      refuse(book, bound.line,
             fmt::format("a fail limit of {} on {} {}", bound.fail, bound.metric, text));
    }
    const auto begin = rule.bounds.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(begin, end, [&](const Bound& b) { return b.metric == bound.metric; }))
      refuse(book, bound.line, "the rule has a bound on " + bound.metric + " already");
    any_can_fail = any_can_fail || can_fail(bound, metric);
  }
  if (any_can_fail) return;
  refuse(book, rule.line,
         "the rule lets anything pass: cosine accepts a result that is twice too large, a fail "
         "limit of 0 on a metric that is 1 at best accepts everything, and so do large limits on "
         "what zeros or a guess keep to; add a bound on nrmse, or for logits on kl.max");
}

/// Limits that only the dtype shows to be too wide, and those between 0 and the smallest difference
/// there is, which ask for equal values without saying so. What a tap introduces may be far below a
/// rounding, where most of its elements are equal.
void check_spacing(const RuleBook& book, const Rule& rule, tensor::DType dtype) {
  constexpr double kShare = 0.5;
  const double spacing = kShare * tensor::unit_roundoff(tensor::component(dtype));
  for (const Bound& bound : rule.bounds) {
    const std::optional<Known> metric = known_of_tap(bound.metric);
    if (const std::string text = metric ? looseness_in(dtype, metric->name, bound.fail) : "";
        !text.empty()) {
      refuse(book, bound.line,
             fmt::format("a fail limit of {} on {} {}", bound.fail, bound.metric, text));
    }
    if (!metric || bound.fail == 0 || metric->direction == Direction::lower_is_worse) continue;
    const bool scaled = metric->name == "nrmse" || metric->name == "max_error_over_rms" ||
                        metric->name.rfind("relative.", 0) == 0;
    if (scaled && !metric->introduced && bound.fail < spacing) {
      refuse(book, bound.line,
             fmt::format("a fail limit of {} on {} is below half a unit roundoff of {} ({:.2g}), "
                         "which identical rounding cannot keep to; use a larger one, or 0 to ask "
                         "for equal values",
                         bound.fail, bound.metric, tensor::name(dtype), spacing));
    }
  }
}

void check_counts(const RuleBook& book, Kind kind, const Rule& rule) {
  for (const Bound& bound : rule.bounds) {
    const Known metric = metric_of(book, kind, bound);
    const bool counts =
        metric.unit == "ulp" || metric.unit == "elements" || metric.unit == "positions";
    if (counts && bound.fail > 0 && bound.fail < 1) {
      refuse(book, bound.line,
             fmt::format("a fail limit of {} on {}, which counts {}, is below the smallest "
                         "difference, 1; use 0 or a number from 1 on",
                         bound.fail, bound.metric, metric.unit));
    }
  }
}

void check_rule(const RuleBook& book, Kind kind, const Rule& rule) {
  if (rule.reason.empty())
    refuse(book, rule.line, "the rule has no reason; say why these taps are judged by it");
  check_bounds(book, kind, rule);
  check_counts(book, kind, rule);
  for (const tensor::DType dtype : rule.selector.dtypes) check_spacing(book, rule, dtype);
  if (rule.truth_factor) check_truth_factor(book, rule.line, *rule.truth_factor);
}

void check_rules(const RuleBook& book, Kind kind, const std::vector<Rule>& rules) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    check_rule(book, kind, rules[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (!(rules[j].selector == rules[i].selector)) continue;
      refuse(book, rules[i].line,
             "the rule is for the same taps as " + rules[j].id + ", which judges them first");
    }
  }
}

std::string list_of(const std::vector<Rule>& rules, const std::vector<const Rule*>& judging) {
  std::string text;
  for (const Rule& rule : rules) {
    if (std::find(judging.begin(), judging.end(), &rule) == judging.end()) continue;
    text += (text.empty() ? "" : " and ") + rule.id;
  }
  return text;
}

void check_use(const RuleBook& book, Kind kind, const std::vector<Rule>& rules,
               const std::vector<RuleSubject>& taps) {
  for (const Rule& rule : rules) {
    std::vector<const Rule*> judging;  // what the rule matches
    std::set<tensor::DType> dtypes;    // of the taps that it judges
    for (const RuleSubject& subject : taps) {
      const TapQuery query{subject.tap, subject.dtype, subject.case_name};
      const bool hit = kind == Kind::taps ? matches(rule.selector, query)
                                          : subject.role == run::Role::logits &&
                                                matches_output(rule.selector, query);
      if (!hit) continue;
      const Rule* judge = kind == Kind::taps
                              ? find_rule(book, query)
                              : find_logits_rule(book, subject.tap, subject.case_name);
      judging.push_back(judge);
      if (judge == &rule && kind == Kind::taps) dtypes.insert(subject.dtype);
    }
    // By dtype rather than in the order of the taps, which a report and a golden need not share.
    for (const tensor::DType dtype : dtypes) check_spacing(book, rule, dtype);
    if (rule.presence == Presence::optional) continue;
    if (judging.empty()) {
      refuse(book, rule.line,
             kind == Kind::taps
                 ? "the rule matches no tap of the golden; correct it, or give it optional = true "
                   "(integers and bools are matched where dtypes names them)"
                 : "the rule matches no logits of the golden; correct it, or give it optional = "
                   "true");
    }
    if (std::find(judging.begin(), judging.end(), &rule) == judging.end()) {
      refuse(book, rule.line,
             "the rule judges no tap: all that it matches are judged by " +
                 list_of(rules, judging) + ", which comes first");
    }
  }
}

}  // namespace

void refuse(const RuleBook& book, int line, const std::string& problem) {
  const std::string place =
      line > 0 ? fmt::format("{}:{}", book.file, line) : fmt::format("policy '{}'", book.name);
  throw Error(ErrorKind::usage, fmt::format("{}: {}", place, problem));
}

void check_truth_factor(const RuleBook& book, int line, double factor) {
  if (factor >= 1 && factor <= kLargestTruthFactor) return;
  refuse(book, line,
         fmt::format("a truth factor of {} asks the candidate to be better than the reference or "
                     "lets anything pass; use a number from 1 to {}",
                     factor, kLargestTruthFactor));
}

void validate(const RuleBook& book) {
  if (book.taps.empty() && book.logits.empty())
    throw Error(ErrorKind::usage, fmt::format("policy '{}' has no rule, so that nothing could be "
                                              "judged by it",
                                              book.name));
  check_rules(book, Kind::taps, book.taps);
  check_rules(book, Kind::logits, book.logits);
}

void check_against(const RuleBook& book, const std::vector<RuleSubject>& taps) {
  check_use(book, Kind::taps, book.taps, taps);
  check_use(book, Kind::logits, book.logits, taps);
}

void check_measured(const RuleBook& book, Measured introduced, Measured truth) {
  for (const Rule& rule : book.taps) {
    for (const Bound& bound : rule.bounds) {
      if (introduced == Measured::no && bound.metric.rfind(kIntroducedPrefix, 0) == 0) {
        refuse(book, bound.line,
               "a bound on " + bound.metric +
                   " needs what each layer introduces; replay the golden with --attribute");
      }
      if (truth == Measured::no && bound.metric == kTruthRatio) {
        refuse(book, bound.line,
               "a bound on truth.ratio needs a truth, and there is none; give --truth GOLDEN, or "
               "record with --truth");
      }
    }
  }
}

}  // namespace parity::gate

#include "gate/rule_check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "gate/looseness.h"
#include "gate/metrics.h"

namespace parity::gate {
namespace {

/// Between the two sides as they ran, or of what a layer adds itself.
enum class Pass : std::uint8_t { free_running, forced };

/// What validation needs to know of a metric, whichever facts it is of.
struct Known {
  std::string_view name;  ///< without "introduced."
  std::string_view unit;
  Direction direction = Direction::higher_is_worse;
  Pass pass = Pass::free_running;
};

template <typename M>
std::optional<Known> known(const M* metric, Pass pass) {
  if (metric == nullptr) return std::nullopt;
  return Known{metric->name, metric->unit, metric->direction, pass};
}

std::optional<Known> known_of_tap(std::string_view metric) {
  if (metric == kTruthRatio) return Known{kTruthRatio, "", Direction::higher_is_worse};
  if (metric.rfind(kIntroducedPrefix, 0) != 0)
    return known(find_tensor_metric(metric), Pass::free_running);
  metric.remove_prefix(kIntroducedPrefix.size());
  return known(find_tensor_metric(metric), Pass::forced);
}

Known metric_of(const RuleBook& book, RuleKind kind, const Bound& bound) {
  const auto found = kind == RuleKind::taps
                         ? known_of_tap(bound.metric)
                         : known(find_logits_metric(bound.metric), Pass::free_running);
  if (found) return *found;
  if (kind == RuleKind::taps && find_logits_metric(bound.metric) != nullptr)
    refuse(book, bound.line, bound.metric + " is a metric of logits; bound it under [[logits]]");
  if (kind == RuleKind::logits && known_of_tap(bound.metric))
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

/// Why a bound lets everything pass, or nothing; empty when it does neither.
std::string looseness_of(const Bound& bound, const Known& metric) {
  return metric.direction == Direction::higher_is_worse
             ? looseness(metric.name, bound.fail)
             : looseness_from_below(bound.warn, bound.fail);
}

[[noreturn]] void refuse_looseness(const RuleBook& book, const Bound& bound,
                                   const std::string& text) {
  refuse(book, bound.line,
         fmt::format("a fail limit of {} on {} {}", bound.fail, bound.metric, text));
}

/// A bound that can turn a wrong result red by itself: not cosine, which accepts any factor, not a
/// lower limit of 0, and none that is left aside where nothing was measured.
bool can_fail(const Bound& bound, const Known& metric) {
  if (bound.presence == Presence::optional) return false;
  if (metric.direction == Direction::higher_is_worse)
    return can_judge_alone(metric.name, bound.fail);
  return metric.name != "cosine" && bound.fail > 0;
}

void check_bounds(const RuleBook& book, RuleKind kind, const Rule& rule) {
  if (rule.bounds.empty())
    refuse(book, rule.line, "the rule has no bound, so that nothing could be judged by it");
  bool any_can_fail = false;
  for (std::size_t i = 0; i < rule.bounds.size(); ++i) {
    const Bound& bound = rule.bounds[i];
    const Known metric = metric_of(book, kind, bound);
    check_limits(book, bound, metric);
    if (bound.origin.empty())
      refuse(book, bound.line, "the bound on " + bound.metric + " has no reason");
    if (const std::string text = looseness_of(bound, metric); !text.empty())
      refuse_looseness(book, bound, text);
    if (bound.presence == Presence::optional && !is_late(bound.metric)) {
      refuse(book, bound.line,
             "every comparison measures " + bound.metric +
                 ", so that no bound on it is optional; introduced.* and truth.ratio may be");
    }
    const auto begin = rule.bounds.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(begin, end, [&](const Bound& b) { return b.metric == bound.metric; }))
      refuse(book, bound.line, "the rule has a bound on " + bound.metric + " already");
    any_can_fail = any_can_fail || can_fail(bound, metric);
  }
  if (any_can_fail) return;
  refuse(
      book, rule.line,
      "the rule lets anything pass: cosine accepts a result that is twice too large, a fail "
      "limit of 0 on a metric that is 1 at best accepts everything, and so do large limits on "
      "what zeros or a guess keep to, and a bound that is optional may not be there; add a bound "
      "on nrmse, or for logits on kl.max");
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
        !text.empty())
      refuse_looseness(book, bound, text);
    if (!metric || bound.fail == 0 || metric->direction == Direction::lower_is_worse) continue;
    const bool scaled = metric->name == "nrmse" || metric->name == "max_error_over_rms" ||
                        metric->name.rfind("relative.", 0) == 0;
    if (scaled && metric->pass == Pass::free_running && bound.fail < spacing) {
      refuse(book, bound.line,
             fmt::format("a fail limit of {} on {} is below half a unit roundoff of {} ({:.2g}), "
                         "which identical rounding cannot keep to; use a larger one, or 0 to ask "
                         "for equal values",
                         bound.fail, bound.metric, tensor::name(dtype), spacing));
    }
  }
}

void check_counts(const RuleBook& book, RuleKind kind, const Rule& rule) {
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

void check_rule(const RuleBook& book, RuleKind kind, const Rule& rule) {
  if (rule.reason.empty())
    refuse(book, rule.line, "the rule has no reason; say why these taps are judged by it");
  check_bounds(book, kind, rule);
  check_counts(book, kind, rule);
  for (const tensor::DType dtype : rule.selector.dtypes) check_spacing(book, rule, dtype);
  if (rule.truth_factor) check_truth_factor(book, rule.line, *rule.truth_factor);
}

/// The same for two selectors that are equal, and for no others: every list with its length.
std::string key_of(const Selector& selector) {
  std::string key;
  const auto add = [&key](const auto& list, const auto& text_of) {
    key += fmt::format("{};", list.size());
    for (const auto& item : list) {
      const std::string_view text = text_of(item);
      key += fmt::format("{}:", text.size()).append(text);
    }
  };
  const auto text_of = [](const run::Glob& glob) { return std::string_view(glob.text()); };
  add(selector.layers, text_of);
  add(selector.kinds, [](run::TapKind kind) { return run::name(kind); });
  add(selector.ops, text_of);
  add(selector.dtypes, [](tensor::DType dtype) { return tensor::name(dtype); });
  add(selector.cases, text_of);
  return key;
}

void check_rules(const RuleBook& book, RuleKind kind, const std::vector<Rule>& rules) {
  std::unordered_map<std::string, const Rule*> known;
  for (const Rule& rule : rules) {
    check_rule(book, kind, rule);
    const auto [first, is_new] = known.emplace(key_of(rule.selector), &rule);
    if (is_new) continue;
    refuse(book, rule.line,
           "the rule is for the same taps as " + first->second->id + ", which judges them first");
  }
}

/// What a rule has to do in a golden.
struct Use {
  std::set<std::size_t> judges;    ///< places of the rules that judge what it matches
  std::set<tensor::DType> dtypes;  ///< of the taps that it judges itself
  /// Elements of the largest of those; of logits the positions of all, since a decode is judged as
  /// a whole too. 0 where there are none.
  std::uint64_t most = 0;

  void add(RuleKind kind, const RuleSubject& subject) {
    most = kind == RuleKind::taps ? std::max(most, subject.elements)
                                  : most + std::min(subject.positions, kAnyNumber - most);
  }
};

std::vector<Use> uses_of(RuleKind kind, const std::vector<Rule>& rules,
                         const std::vector<RuleSubject>& taps) {
  std::vector<Use> uses(rules.size());
  for (const RuleSubject& subject : taps) {
    if (kind == RuleKind::logits && subject.role != run::Role::logits) continue;
    const std::vector<std::size_t> places =
        matching(rules, kind, {subject.tap, subject.dtype, subject.case_name});
    if (places.empty()) continue;
    for (const std::size_t place : places) uses[place].judges.insert(places.front());
    Use& judging = uses[places.front()];
    judging.dtypes.insert(subject.dtype);
    judging.add(kind, subject);
  }
  return uses;
}

/// A count that no tap which the rule judges could exceed.
void check_extent(const RuleBook& book, RuleKind kind, const Rule& rule, const Use& use) {
  for (const Bound& bound : rule.bounds) {
    const Known metric = metric_of(book, kind, bound);
    const std::string text = metric.direction == Direction::higher_is_worse
                                 ? looseness_of_count(metric.unit, bound.fail, use.most)
                                 : std::string{};
    if (!text.empty()) refuse_looseness(book, bound, text);
  }
}

std::string list_of(const std::vector<Rule>& rules, const std::set<std::size_t>& places) {
  std::string text;
  for (const std::size_t place : places) text += (text.empty() ? "" : " and ") + rules[place].id;
  return text;
}

void check_use(const RuleBook& book, RuleKind kind, const std::vector<Rule>& rules,
               const std::vector<RuleSubject>& taps) {
  const std::vector<Use> uses = uses_of(kind, rules, taps);
  for (std::size_t place = 0; place < rules.size(); ++place) {
    const Rule& rule = rules[place];
    const Use& use = uses[place];
    if (kind == RuleKind::taps) {
      // By dtype rather than in the order of the taps, which a report and a golden need not share.
      for (const tensor::DType dtype : use.dtypes) check_spacing(book, rule, dtype);
    }
    check_extent(book, kind, rule, use);
    if (rule.presence == Presence::optional || use.judges.count(place) > 0) continue;
    if (use.judges.empty()) {
      refuse(book, rule.line,
             kind == RuleKind::taps
                 ? "the rule matches no tap of the golden; correct it, or give it optional = true "
                   "(integers and bools are matched where dtypes names them)"
                 : "the rule matches no logits of the golden; correct it, or give it optional = "
                   "true");
    }
    refuse(book, rule.line,
           "the rule judges no tap: all that it matches are judged by " +
               list_of(rules, use.judges) + ", which comes first");
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
  check_rules(book, RuleKind::taps, book.taps);
  check_rules(book, RuleKind::logits, book.logits);
}

void check_against(const RuleBook& book, const std::vector<RuleSubject>& taps) {
  check_use(book, RuleKind::taps, book.taps, taps);
  check_use(book, RuleKind::logits, book.logits, taps);
}

void check_measured(const RuleBook& book, Measured introduced, Measured truth) {
  for (const Rule& rule : book.taps) {
    for (const Bound& bound : rule.bounds) {
      if (bound.presence == Presence::optional) continue;
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

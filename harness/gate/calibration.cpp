#include "gate/calibration.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "gate/calibration_evidence.h"
#include "gate/calibration_groups.h"

namespace parity::gate {
namespace {

/// A tap of the reference, by whose bounds it is judged: with what was measured of it.
struct Tap {
  run::TapId id;
  tensor::DType dtype = tensor::DType::float32;
  Spreads spreads;
  bool testable = true;
};

class Calibrator {
 public:
  Calibrator(const CalibrationInput& input, const CalibrationChoice& choice)
      : input_(input), choice_(choice) {}

  [[nodiscard]] Calibration calibrate();

 private:
  void collect();
  void refuse_without_evidence() const;
  [[nodiscard]] std::vector<MeasuredTap> measured() const;
  void add_rules();
  void add_last_rules();
  void add_logits();
  void add_rule(Selector selector, const Spreads& spreads, Presence presence, std::string reason);
  void list_unbounded(const Spreads& spreads);
  void list_beyond();

  const CalibrationInput& input_;
  const CalibrationChoice& choice_;
  std::vector<Tap> taps_;
  Calibration result_;
};

void Calibrator::collect() {
  std::map<std::pair<run::TapId, tensor::DType>, std::size_t> places;
  for (const Spread& spread : input_.taps) {
    const auto [place, is_new] = places.emplace(std::pair{spread.tap, spread.dtype}, taps_.size());
    if (is_new) taps_.push_back({spread.tap, spread.dtype, {}});
    Tap& tap = taps_[place->second];
    tap.spreads.push_back(&spread);
    const std::string why = tap.testable ? why_untestable(spread) : std::string{};
    if (why.empty()) continue;
    tap.testable = false;
    result_.untestable.push_back({spread.case_name, spread.tap, why});
  }
}

void Calibrator::refuse_without_evidence() const {
  const bool any = std::any_of(taps_.begin(), taps_.end(), [](const Tap& tap) {
    return tap.testable && std::any_of(tap.spreads.begin(), tap.spreads.end(),
                                       [](const Spread* spread) { return differs(*spread); });
  });
  if (any) return;
  if (result_.untestable.empty()) {
    throw Error(ErrorKind::usage,
                "nothing to calibrate from: no run differs from the reference in any bit; give "
                "goldens that were recorded on other devices, versions or settings, record with "
                "--repeat or --truth, or vary more with --model and --vary");
  }
  const Untestable& first = result_.untestable.front();
  throw Error(ErrorKind::usage,
              fmt::format("the runs are so far apart that no bound could tell them from wrong ones "
                          "wherever they differ, as at {} of case {}: {}; are they all right?",
                          run::to_string(first.tap), first.case_name, first.why));
}

std::vector<MeasuredTap> Calibrator::measured() const {
  std::vector<MeasuredTap> measured;
  for (const Tap& tap : taps_) {
    if (!tap.testable) continue;
    // Equal integers are what the built-in policy asks for.
    if (tensor::is_integral(tap.dtype) &&
        std::none_of(tap.spreads.begin(), tap.spreads.end(),
                     [](const Spread* spread) { return differs(*spread); }))
      continue;
    MeasuredTap one{tap.id, tap.dtype};
    for (const Spread* spread : tap.spreads) {
      const auto worst = [&](std::string_view metric, double known) {
        return std::max(known, figure_of(*spread, metric, Direction::higher_is_worse).value_or(0));
      };
      one.nrmse = worst("nrmse", one.nrmse);
      one.max_error_over_rms = worst("max_error_over_rms", one.max_error_over_rms);
    }
    measured.push_back(std::move(one));
  }
  return measured;
}

void Calibrator::add_rule(Selector selector, const Spreads& spreads, Presence presence,
                          std::string reason) {
  if (spreads.empty()) return;
  Evidenced made = bound_taps(spreads, input_, choice_);
  if (made.rule.bounds.empty()) {
    list_unbounded(spreads);
    return;
  }
  made.rule.id = fmt::format("{}/{}", choice_.name, result_.book.taps.size() + 1);
  made.rule.selector = std::move(selector);
  made.rule.presence = presence;
  made.rule.reason = std::move(reason);
  result_.book.taps.push_back(std::move(made.rule));
  result_.taps.push_back(std::move(made.evidence));
}

/// Where what was measured leaves room for a limit, and headroom does not.
void Calibrator::list_unbounded(const Spreads& spreads) {
  std::set<run::TapId> listed;
  for (const Spread* spread : spreads) {
    if (!differs(*spread) || !listed.insert(spread->tap).second) continue;
    result_.untestable.push_back(
        {spread->case_name, spread->tap, "too many elements differ for a bound with headroom"});
  }
}

/// Bounds come from the taps that the rule judges, which its globs may make other ones than those
/// that it was made for.
void Calibrator::add_rules() {
  RuleBook selecting;
  for (Selector& selector : selectors_for(measured(), choice_.rules)) {
    Rule rule;
    rule.selector = std::move(selector);
    selecting.taps.push_back(std::move(rule));
  }
  std::map<const Rule*, Spreads> judged;
  for (const Tap& tap : taps_) {
    const Rule* rule = find_rule(selecting, {tap.id, tap.dtype, ""});
    if (rule == nullptr || !tap.testable) continue;
    Spreads& spreads = judged[rule];
    spreads.insert(spreads.end(), tap.spreads.begin(), tap.spreads.end());
  }
  for (const Rule& rule : selecting.taps) {
    const std::string what(run::name(rule.selector.kinds.front()));
    add_rule(rule.selector, judged[&rule], Presence::required,
             fmt::format("measured on this model: {}s whose errors are about as large", what));
  }
}

void Calibrator::add_last_rules() {
  std::map<tensor::DType, Spreads> by_dtype;
  for (const Tap& tap : taps_) {
    if (!tap.testable || tensor::is_integral(tap.dtype)) continue;
    Spreads& spreads = by_dtype[tap.dtype];
    spreads.insert(spreads.end(), tap.spreads.begin(), tap.spreads.end());
  }
  for (const auto& [dtype, spreads] : by_dtype) {
    Selector selector;
    selector.dtypes = {dtype};
    add_rule(std::move(selector), spreads, Presence::optional,
             fmt::format("every other tap in {}: from all that was measured", tensor::name(dtype)));
  }
}

void Calibrator::add_logits() {
  Spreads spreads;
  bool testable = true;
  for (const Spread& spread : input_.logits) {
    spreads.push_back(&spread);
    const std::string why = why_untestable_logits(spread);
    if (why.empty() || !testable) continue;
    testable = false;
    result_.untestable.push_back({spread.case_name, spread.tap, "logits: " + why});
  }
  if (!testable || std::none_of(spreads.begin(), spreads.end(),
                                [](const Spread* spread) { return differs(*spread); }))
    return;
  Evidenced made = bound_logits(spreads, input_, choice_);
  if (made.rule.bounds.empty()) return;
  made.rule.id = choice_.name + "/logits";
  made.rule.reason = "measured on this model's logits";
  result_.book.logits.push_back(std::move(made.rule));
  result_.logits.push_back(std::move(made.evidence));
}

/// Limits that are no wider than the built-in ones may be beyond what was measured.
void Calibrator::list_beyond() {
  std::set<run::TapId> listed;
  const auto list = [&](const Spread& spread, const Rule* rule, const std::string& of) {
    if (rule == nullptr) return;
    const std::string what = what_is_beyond(spread, rule->bounds);
    if (what.empty() || !listed.insert(spread.tap).second) return;
    result_.beyond.push_back({spread.case_name, spread.tap, of + what});
  };
  for (const Tap& tap : taps_) {
    if (!tap.testable) continue;
    const Rule* rule = find_rule(result_.book, {tap.id, tap.dtype, ""});
    for (const Spread* spread : tap.spreads) list(*spread, rule, "");
  }
  listed.clear();
  for (const Spread& spread : input_.logits)
    list(spread, find_logits_rule(result_.book, spread.tap, ""), "logits: ");
}

Calibration Calibrator::calibrate() {
  collect();
  refuse_without_evidence();
  result_.book.name = choice_.name;
  result_.book.truth_factors = default_rules().truth_factors;
  add_rules();
  add_last_rules();
  add_logits();
  list_beyond();
  return std::move(result_);
}

}  // namespace

std::string_view name(Variation variation) {
  switch (variation) {
    case Variation::recording:
      return "recording";
    case Variation::replay:
      return "replay";
    case Variation::threads:
      return "threads";
    case Variation::sdpa:
      return "sdpa";
    case Variation::batch:
      return "batch";
    case Variation::repeat:
      return "repeat";
    case Variation::truth:
      return "truth";
  }
  return "unknown";
}

Calibration calibrate(const CalibrationInput& input, const CalibrationChoice& choice) {
  return Calibrator(input, choice).calibrate();
}

}  // namespace parity::gate

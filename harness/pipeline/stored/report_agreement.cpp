#include "pipeline/stored/report_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "pipeline/compare/report_assembly.h"
#include "pipeline/stored/logits_agreement.h"
#include "pipeline/stored/tap_agreement.h"
#include "pipeline/stored/verdict_agreement.h"

namespace parity::pipeline {
namespace {

using report::Case;
using report::Report;
using report::Tap;

using Taps = std::map<run::TapId, const Tap*>;

std::string in_case(const Case& item, const std::string& text) {
  return fmt::format("case '{}': {}", item.name, text);
}

std::string in_tap(const run::TapId& id, const std::string& text) {
  return fmt::format("{}: {}", run::to_string(id), text);
}

Taps taps_by_id(const Case& item) {
  Taps taps;
  for (const Tap& tap : item.taps) taps.emplace(tap.id, &tap);
  return taps;
}

Contradiction of_tap_names(const Case& item, const Report& /*report*/) {
  std::set<run::TapId> seen;
  for (const Tap& tap : item.taps) {
    if (!seen.insert(tap.id).second)
      return fmt::format("tap {} is there twice", run::to_string(tap.id));
  }
  return std::nullopt;
}

Contradiction of_taps(const Case& item, const Report& report) {
  for (const Tap& tap : item.taps) {
    if (auto found = contradiction_of(tap)) return in_tap(tap.id, *found);
    if (tap.introduced && !report.attribution)
      return in_tap(tap.id, disagreement("introduced", "of values", "attribution", "null"));
    if (tap.truth && report.truth_file.empty())
      return in_tap(tap.id, disagreement("truth", "of values", "truth_file", "null"));
  }
  return std::nullopt;
}

/// Outputs are always captured, so a case without one says why, and a case with one has nothing to
/// say.
Contradiction of_outputs(const Case& item, const Report& /*report*/) {
  const auto is_output = [](const Tap& tap) { return tap.id.kind == run::TapKind::output; };
  const auto is_additional = [](const Tap& tap) {
    return tap.outcome == report::Outcome::additional;
  };
  const auto is_compared = [&](const Tap& tap) {
    return is_output(tap) && !is_additional(tap) && tap.outcome != report::Outcome::missing;
  };
  const auto compared = std::find_if(item.taps.begin(), item.taps.end(), is_compared);
  if (!item.untested_output.empty() && compared != item.taps.end()) {
    return disagreement("untested_output", "of a case without outputs", "outcome of the output,",
                        name(compared->outcome));
  }
  if (!item.untested_output.empty() || std::any_of(item.taps.begin(), item.taps.end(), is_output) ||
      std::all_of(item.taps.begin(), item.taps.end(), is_additional)) {
    return std::nullopt;
  }
  return disagreement("untested_output", "null", "taps of kind output, of which there are", "0");
}

bool can_have_logits(const Tap& tap) {
  return tap.facts && tap.facts->elements > 0 && tensor::is_floating(tap.facts->reference_dtype) &&
         tensor::is_floating(tap.facts->candidate_dtype);
}

Contradiction of_logits(const Case& item, const Report& /*report*/) {
  const Taps taps = taps_by_id(item);
  std::set<run::TapId> judged;
  for (const report::Logits& logits : item.logits) {
    if (!judged.insert(logits.id).second)
      return fmt::format("logits of {} are there twice", run::to_string(logits.id));
    const auto tap = taps.find(logits.id);
    if (tap == taps.end() || !can_have_logits(*tap->second)) {
      return fmt::format("logits are of {}, which is no tap that was compared in floating point",
                         run::to_string(logits.id));
    }
    if (auto found = contradiction_of(logits, *tap->second))
      return "logits of " + in_tap(logits.id, *found);
  }
  for (const Tap& tap : item.taps) {
    if (tap.role == run::Role::logits && can_have_logits(tap) && judged.count(tap.id) == 0)
      return in_tap(tap.id, disagreement("role", "logits", "its facts as logits,", "null"));
  }
  return std::nullopt;
}

Contradiction of_decode(const Case& item, const Report& /*report*/) {
  return item.decode ? contradiction_of_decode(item) : std::nullopt;
}

struct CaseRule {
  Contradiction (*contradiction)(const Case&, const Report&);
};

constexpr auto kCaseRules = std::to_array<CaseRule>({{of_tap_names},
                                                     {of_taps},
                                                     {of_outputs},
                                                     {of_logits},
                                                     {of_decode},
                                                     {contradiction_of_verdicts}});

Contradiction of_case_names(const Report& report) {
  std::set<std::string> seen;
  for (const Case& item : report.cases) {
    if (!seen.insert(item.name).second) return fmt::format("case '{}' is there twice", item.name);
  }
  return std::nullopt;
}

Contradiction of_cases(const Report& report) {
  for (const Case& item : report.cases) {
    for (const CaseRule& rule : kCaseRules) {
      if (auto found = rule.contradiction(item, report)) return in_case(item, *found);
    }
  }
  return std::nullopt;
}

const Tap* find(const Report& report, const std::string& case_name, const run::TapId& id) {
  for (const Case& item : report.cases) {
    if (item.name != case_name) continue;
    const auto found = std::find_if(item.taps.begin(), item.taps.end(),
                                    [&](const Tap& tap) { return tap.id == id; });
    if (found != item.taps.end()) return &*found;
  }
  return nullptr;
}

/// A tap of another shape is to blame without a measurement of what it introduces.
Contradiction of_blame(const Report& report) {
  if (!report.attribution) return std::nullopt;
  for (const report::Blame& blame : report.attribution->blame) {
    const std::string where =
        fmt::format("blame of {} of case '{}'", run::to_string(blame.tap), blame.case_name);
    const Tap* tap = find(report, blame.case_name, blame.tap);
    if (tap == nullptr) return where + ": there is no such tap";
    if (auto found = outside(where + ": share", blame.share, 0, 1)) return found;
    if (!tap->introduced && tap->outcome == report::Outcome::shape_differs) continue;
    if (!tap->introduced) return where + ": it has no introduced error";
    const compare::TensorComparison& facts = *tap->introduced;
    // One-sided values count as an error of everything.
    if (blame.introduced_nrmse != facts.nrmse && facts.classes.finite == facts.elements) {
      return disagreement(where + ": introduced_nrmse", blame.introduced_nrmse,
                          "introduced.nrmse of the tap,", facts.nrmse);
    }
    if (!is_same(blame.max_error_over_rms, facts.max_error_over_rms)) {
      return disagreement(where + ": max_error_over_rms", blame.max_error_over_rms,
                          "introduced.max_error_over_rms of the tap,", facts.max_error_over_rms);
    }
  }
  for (const report::Source& source : report.attribution->sources) {
    if (auto found = outside("attribution.sources.share", source.share, 0, 1)) return found;
    if (auto found = outside("attribution.sources.nrmse", source.nrmse, 0, kInfinity)) return found;
  }
  return std::nullopt;
}

Contradiction of_noise_summary(const Report& report) {
  Report again;
  for (const Case& item : report.cases) {
    Case& noisy = again.cases.emplace_back();
    noisy.name = item.name;
    for (const Tap& tap : item.taps) {
      if (!tap.noise) continue;
      Tap& copy = noisy.taps.emplace_back();
      copy.id = tap.id;
      copy.noise = tap.noise;
    }
  }
  add_noise_summary(again);
  if (report.noise.has_value() != again.noise.has_value()) {
    return disagreement("noise_summary", report.noise ? "of taps" : "null", "noise of taps",
                        again.noise ? "that have some" : "null");
  }
  if (!report.noise) return std::nullopt;
  const std::array<std::pair<const char*, std::pair<double, double>>, 3> counts = {{
      {"repeats",
       {static_cast<double>(report.noise->repeats), static_cast<double>(again.noise->repeats)}},
      {"taps", {number(report.noise->taps), number(again.noise->taps)}},
      {"differing", {number(report.noise->differing), number(again.noise->differing)}},
  }};
  for (const auto& [name, values] : counts) {
    if (values.first != values.second) {
      return disagreement(std::string("noise_summary.") + name, values.first,
                          "the noise of all taps, which gives", values.second);
    }
  }
  const auto& stated = report.noise->first;
  const auto& first = again.noise->first;
  const bool fits =
      stated.has_value() == first.has_value() &&
      (!first || (stated->case_name == first->case_name && stated->tap == first->tap));
  if (!fits)
    return std::string("noise_summary.first is not the first tap whose noise has runs that differ");
  return std::nullopt;
}

Contradiction of_truth_summary(const Report& report) {
  bool any = false;
  std::uint64_t taps = 0;
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      if (!tap.truth) continue;
      any = true;
      if (!tap.noise || tap.noise->differing == 0) ++taps;
    }
  }
  if (report.truth.has_value() != any) {
    return disagreement("truth_summary", report.truth ? "of taps" : "null", "truth of taps",
                        any ? "that have one" : "null");
  }
  if (!report.truth) return std::nullopt;
  const report::TruthSummary& summary = *report.truth;
  if (summary.taps != taps) {
    return disagreement("truth_summary.taps", number(summary.taps),
                        "taps with a truth and without noise,", number(taps));
  }
  if (number(summary.reference_worse) + number(summary.candidate_worse) > number(taps)) {
    return disagreement("truth_summary.taps", number(taps), "reference_worse and candidate_worse,",
                        number(summary.reference_worse) + number(summary.candidate_worse));
  }
  if (summary.file == report.truth_file) return std::nullopt;
  return disagreement("truth_summary.file", summary.file, "truth_file", report.truth_file);
}

Contradiction of_timing(const Report& report) {
  const std::array<std::pair<const char*, double>, 4> seconds = {
      {{"timing.total_s", report.timing.total_s},
       {"timing.compare_s", report.timing.compare_s},
       {"timing.forced_s", report.timing.forced_s},
       {"timing.forward_s", report.timing.forward_s}}};
  for (const auto& [name, value] : seconds) {
    if (auto found = outside(name, value, 0, std::numeric_limits<double>::max())) return found;
  }
  return std::nullopt;
}

struct ReportRule {
  Contradiction (*contradiction)(const Report&);
};

constexpr auto kReportRules = std::to_array<ReportRule>(
    {{of_case_names}, {of_cases}, {of_blame}, {of_noise_summary}, {of_truth_summary}, {of_timing}});

}  // namespace

Contradiction contradiction_of(Report& report) {
  for (const ReportRule& rule : kReportRules) {
    if (auto found = rule.contradiction(report)) return found;
  }
  return contradiction_of_conclusion(report);
}

void require_agreement(Report& report, const std::string& file) {
  if (const Contradiction found = contradiction_of(report)) {
    throw Error(ErrorKind::usage, fmt::format("{} contradicts itself: {}; it was altered or is "
                                              "damaged, so make the report again",
                                              file, *found));
  }
}

}  // namespace parity::pipeline

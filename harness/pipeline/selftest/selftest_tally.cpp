#include "pipeline/selftest/selftest_tally.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"
#include "fault/value_faults.h"

namespace parity::pipeline {
namespace {

constexpr std::size_t kPlacesKept = 20;

struct Named {
  std::string_view name;
  std::string_view text;
};

constexpr auto kStructure = std::to_array<Named>({
    {kOtherShape, "the tap has another shape"},
    {kOtherDtype, "the tap has another dtype"},
    {kOtherDigest, "the tap has another digest"},
    {kUnseenRow, "a row that the golden does not store is another"},
    {kMissingTap, "a tap is missing"},
    {kAdditionalTap, "there is a tap more"},
    {kDoubledTap, "a tap comes twice"},
    {kRenamedTap, "a tap has another name"},
    {kMissingOutput, "the model's outputs are missing"},
    {kNoTaps, "no tap comes at all"},
    {kMissingCase, "the case is missing"},
    {kAdditionalCase, "there is a case more"},
    {kNoCases, "there is no case at all"},
});

constexpr auto kControls = std::to_array<Named>({
    {kUntouched, "the recording itself"},
    {kReordered, "its taps in another order"},
    {kRounding, "every number one step of its dtype up or down"},
});

bool further(const std::optional<double>& one, const std::optional<double>& other) {
  if (!other) return false;
  return !one || *one > *other;
}

void add_reach(report::Reach& reach, std::uint64_t taps, std::optional<double> seen_from,
               const report::FaultPlace& place) {
  if (taps > 0 && !further(seen_from, reach.seen_from)) return;
  reach = {seen_from, place};
}

std::string place_text(const report::FaultPlace& place) {
  std::string text = place.tap.empty() ? std::string{} : place.tap + " of ";
  text += place.case_name.empty() ? "the run" : "case " + place.case_name;
  if (!place.rule.empty()) text += ", rule " + place.rule;
  return text;
}

}  // namespace

SelftestTally::SelftestTally() {
  const auto add = [&](std::string_view name, std::string_view text, report::FaultKind kind) {
    report::FaultResult fault;
    fault.name = name;
    fault.text = text;
    fault.kind = kind;
    faults_.push_back(std::move(fault));
  };
  for (const fault::ValueFault& each : fault::value_faults())
    add(each.name, each.text, report::FaultKind::values);
  for (const Named& each : kStructure) add(each.name, each.text, report::FaultKind::structure);
  for (const Named& each : kControls)
    controls_.push_back({std::string(each.name), std::string(each.text), 0, 0, {}});
}

report::FaultResult& SelftestTally::fault(std::string_view name) {
  const auto found =
      std::find_if(faults_.begin(), faults_.end(),
                   [&](const report::FaultResult& each) { return each.name == name; });
  PARITY_CHECK(found != faults_.end());
  return *found;
}

void SelftestTally::injected(std::string_view name, const Injection& injection) {
  report::FaultResult& result = fault(name);
  const bool is_seen = injection.light == Light::red;
  const bool is_gross = injection.weight == Weight::gross;
  ++result.injected;
  if (!injection.place.tap.empty()) ++spoilt_taps_;
  if (is_seen) ++result.seen;
  if (is_gross) ++result.gross;
  if (is_gross && is_seen) ++result.gross_seen;
  if (is_seen) return;
  if (is_gross) {
    if (result.missed.size() < kPlacesKept) result.missed.push_back(injection.place);
  } else if (!result.largest_miss || injection.place.nrmse > result.largest_miss->nrmse) {
    result.largest_miss = injection.place;
  }
}

void SelftestTally::not_injected(std::string_view name, const std::string& reason,
                                 const std::string& case_name, const std::string& tap) {
  std::vector<report::NotInjected>& list = fault(name).not_injected;
  for (report::NotInjected& each : list) {
    if (each.reason != reason) continue;
    ++each.taps;
    return;
  }
  list.push_back({reason, 1, case_name, tap});
}

void SelftestTally::control(std::string_view name, const GateAnswer& answer) {
  for (report::ControlResult& each : controls_) {
    if (each.name != name) continue;
    ++each.runs;
    if (answer.light == Light::green) {
      ++each.green;
      return;
    }
    for (const report::FaultPlace& place : answer.failing) {
      if (each.red.size() < kPlacesKept) each.red.push_back(place);
    }
  }
}

void SelftestTally::factor_reach(const std::string& group, std::optional<double> seen_from,
                                 const report::FaultPlace& place) {
  report::Sensitivity& found = groups_[group];
  add_reach(found.factor, found.taps, seen_from, place);
}

void SelftestTally::spike_reach(const std::string& group, std::optional<double> seen_from,
                                const report::FaultPlace& place) {
  report::Sensitivity& found = groups_[group];
  add_reach(found.spike, found.taps, seen_from, place);
  ++found.taps;
}

void SelftestTally::judge(report::Selftest& result) const {
  std::uint64_t gross = 0;
  std::uint64_t seen = 0;
  for (const report::ControlResult& each : result.controls) {
    if (each.green == each.runs) continue;
    const std::string where = place_text(each.red.front());
    if (each.name == kRounding) {
      result.notes.push_back(fmt::format(
          "over-strict: the gate is red for {}, which no device can promise to avoid: at {}: {}",
          each.text, where, each.red.front().said));
      continue;
    }
    result.reasons.push_back(
        fmt::format("the gate is red for {}, so that its red proves nothing: at {}: {}", each.text,
                    where, each.red.front().said));
  }
  for (const report::FaultResult& each : result.faults) {
    gross += each.gross;
    seen += each.gross_seen;
    if (each.gross == each.gross_seen) continue;
    const report::FaultPlace& first = each.missed.front();
    result.reasons.push_back(fmt::format("{} ({}) went unseen in {} of {} places, first at {}",
                                         each.name, each.text, each.gross - each.gross_seen,
                                         each.gross, place_text(first)));
  }
  result.result = result.reasons.empty() ? report::Result::pass : report::Result::fail;
  result.exit_code = result.result == report::Result::pass ? 0 : 1;
  if (result.result == report::Result::pass) {
    result.reasons.push_back(fmt::format(
        "each of {} gross faults turned the gate red, and the recording itself left it green",
        seen));
  }
}

void SelftestTally::finish(report::Selftest& result) {
  result.taps = taps_;
  result.faults = std::move(faults_);
  result.controls = std::move(controls_);
  result.notes = std::move(notes_);
  const bool controls_red = std::any_of(result.controls.begin(), result.controls.end(),
                                        [](const report::ControlResult& each) {
                                          return each.green < each.runs && each.name != kRounding;
                                        });
  if (spoilt_taps_ == 0 && !controls_red) {
    throw Error(ErrorKind::incompatible,
                result.golden +
                    " holds no tap that a fault could be put into, so it cannot show that a gate "
                    "works; record one with values (--store full)");
  }
  for (auto& [layers, found] : groups_) {
    found.layers = layers;
    result.sensitivity.push_back(std::move(found));
  }
  std::stable_sort(result.sensitivity.begin(), result.sensitivity.end(),
                   [](const report::Sensitivity& one, const report::Sensitivity& other) {
                     return further(one.factor.seen_from, other.factor.seen_from);
                   });
  judge(result);
}

}  // namespace parity::pipeline

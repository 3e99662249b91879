#include "pipeline/selftest/selftest_lanes.h"

#include <array>
#include <utility>

#include "fault/value_changes.h"

#include "error/error.h"

namespace parity::pipeline {
namespace {

constexpr auto kControlLanes = std::to_array({kUntouched, kReordered, kRounding});
constexpr auto kInnerLanes = std::to_array({kMissingTap, kAdditionalTap, kDoubledTap, kRenamedTap});
constexpr auto kOutputLanes = std::to_array({kMissingOutput, kNoTaps});

constexpr std::string_view kOutputsAlone = "the case holds the model's outputs alone";

/// A call that no run comes to.
run::TapRecord renamed(run::TapRecord record) {
  record.id.call += 1'000'000'000;
  return record;
}

bool is_control(std::string_view name) {
  return name == kUntouched || name == kReordered || name == kRounding;
}

}  // namespace

SelftestLanes::SelftestLanes(ReferenceTaps& reference, const TruthTaps* truth,
                             capture::TapFilter& filter, const CompareChoice& choice,
                             const std::vector<std::size_t>& places)
    : reference_(reference), choice_(choice) {
  std::vector<std::size_t> inner;
  for (const std::size_t place : places) {
    if (reference.record().taps[place].id.kind != run::TapKind::output) inner.push_back(place);
  }
  if (!inner.empty()) chosen_ = inner[inner.size() / 2];
  for (const std::string_view name : kControlLanes) open(name, truth, filter);
  if (chosen_) {
    for (const std::string_view name : kInnerLanes) open(name, truth, filter);
  }
  for (const std::string_view name : kOutputLanes) open(name, truth, filter);
}

void SelftestLanes::open(std::string_view name, const TruthTaps* truth,
                         capture::TapFilter& filter) {
  lanes_.push_back({name, std::make_unique<CaseComparison>(reference_, truth, filter, choice_)});
}

CaseComparison& SelftestLanes::lane(std::string_view name) {
  for (Lane& each : lanes_) {
    if (each.name == name) return *each.comparison;
  }
  check_failed("a lane of that name", __FILE__, __LINE__);
}

void SelftestLanes::deliver(std::string_view name, const RecordedTap& tap) {
  deliver_as(name, tap, *tap.record, tap.stored);
}

void SelftestLanes::deliver_as(std::string_view name, const RecordedTap& tap,
                               const run::TapRecord& record, const tensor::HostTensor& value) {
  // Read once for all lanes; a name that the reference lacks takes none.
  if (record.id == tap.record->id) reference_.put_ahead(tap.place, tap.stored);
  lane(name).add({record, value.view()});
}

/// Two taps at a time, the later one first.
void SelftestLanes::add_reordered(const RecordedTap& tap) {
  if (!held_back_) {
    held_back_ = tap;
    return;
  }
  deliver(kReordered, tap);
  deliver(kReordered, *std::exchange(held_back_, std::nullopt));
}

void SelftestLanes::add(const RecordedTap& tap) {
  deliver(kUntouched, tap);
  add_reordered(tap);
  const tensor::HostTensor noisy = fault::with_rounding_noise(tap.stored.view());
  run::TapRecord noisy_record = *tap.record;
  if (noisy_record.mode != run::StoreMode::digest)
    noisy_record.digest = tensor::digest_of(noisy.bytes());
  deliver_as(kRounding, tap, noisy_record, noisy);
  if (tap.record->id.kind != run::TapKind::output) deliver(kMissingOutput, tap);
  if (!chosen_) return;
  const bool is_chosen = tap.place == *chosen_;
  if (!is_chosen) deliver(kMissingTap, tap);
  deliver(kAdditionalTap, tap);
  deliver(kDoubledTap, tap);
  if (is_chosen) {
    const run::TapRecord other = renamed(*tap.record);
    deliver_as(kAdditionalTap, tap, other, tap.stored);
    lane(kDoubledTap).add({*tap.record, tap.stored.view()});
    deliver_as(kRenamedTap, tap, other, tap.stored);
  } else {
    deliver(kRenamedTap, tap);
  }
}

void SelftestLanes::finish(const GateOnTrial& gate, const TrialInputs& given,
                           SelftestTally& tally) {
  if (held_back_) deliver(kReordered, *std::exchange(held_back_, std::nullopt));
  const std::string& case_name = reference_.record().name;
  for (Lane& each : lanes_) {
    const GateAnswer answer = gate.ask(each.comparison->finish(), given);
    if (is_control(each.name)) {
      tally.control(each.name, answer);
      continue;
    }
    report::FaultPlace place;
    place.case_name = case_name;
    if (!answer.failing.empty()) place.said = answer.failing.front().said;
    tally.injected(each.name, {std::move(place), Weight::gross, answer.light});
  }
  if (chosen_) return;
  for (const std::string_view name : kInnerLanes)
    tally.not_injected(name, std::string(kOutputsAlone), case_name, "");
}

}  // namespace parity::pipeline

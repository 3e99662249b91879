#include "pipeline/selftest/selftest_lanes.h"

#include <array>
#include <utility>

#include "error/error.h"
#include "fault/value_changes.h"

namespace parity::pipeline {
namespace {

constexpr auto kLanes = std::to_array({kUntouched, kReordered, kRounding});

}  // namespace

SelftestLanes::SelftestLanes(ReferenceTaps& reference, const TruthTaps* truth,
                             capture::TapFilter& filter, const CompareChoice& choice)
    : reference_(reference) {
  for (const std::string_view name : kLanes)
    lanes_.push_back({name, std::make_unique<CaseComparison>(reference_, truth, filter, choice)});
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
}

report::Case SelftestLanes::finish(const GateOnTrial& gate, const TrialInputs& given,
                                   SelftestTally& tally) {
  if (held_back_) deliver(kReordered, *std::exchange(held_back_, std::nullopt));
  report::Case untouched;
  for (Lane& each : lanes_) {
    report::Case one = each.comparison->finish();
    if (each.name == kUntouched) untouched = one;
    tally.control(each.name, gate.ask(std::move(one), given));
  }
  return untouched;
}

}  // namespace parity::pipeline

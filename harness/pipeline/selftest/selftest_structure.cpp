#include "pipeline/selftest/selftest_structure.h"

#include <algorithm>
#include <set>
#include <utility>

namespace parity::pipeline {
namespace {

/// A call that no run comes to.
run::TapRecord renamed(run::TapRecord record) {
  record.id.call += 1'000'000'000;
  return record;
}

bool is_output(const run::TapId& id) { return id.kind == run::TapKind::output; }

/// The logits of `from` that belong to a tap of `into`.
void add_logits(const report::Case& from, report::Case& into) {
  for (const report::Logits& logits : from.logits) {
    const bool is_kept = std::any_of(into.taps.begin(), into.taps.end(),
                                     [&](const auto& tap) { return tap.id == logits.id; });
    if (is_kept) into.logits.push_back(logits);
  }
}

/// The case with the taps that `keeps` names alone: those that are as recorded pass, as the control
/// shows, and need not be judged once more for every fault.
template <typename Keeps>
report::Case part_of(const report::Case& whole, const Keeps& keeps) {
  report::Case part;
  part.name = whole.name;
  part.untested_output = whole.untested_output;
  for (const report::Tap& tap : whole.taps) {
    if (keeps(tap)) part.taps.push_back(tap);
  }
  add_logits(whole, part);
  return part;
}

}  // namespace

report::Case enough_of(const report::Case& outputs, const GateOnTrial& gate,
                       const TrialInputs& given) {
  for (const report::Tap& tap : outputs.taps) {
    report::Case one = part_of(outputs, [&](const report::Tap& each) { return each.id == tap.id; });
    if (gate.ask(one, {given.inputs, Passes::one}).light == Light::green) return one;
  }
  return outputs;
}

StructureFaults::StructureFaults(const AlignedCase& aligned, const report::Case& untouched,
                                 const GateOnTrial& gate, SelftestTally& tally)
    : aligned_(aligned), gate_(gate), tally_(tally) {
  std::map<run::TapId, std::size_t> places;
  for (const std::size_t place : aligned.places) places.emplace(record(place).id, place);
  for (const report::Tap& tap : untouched.taps) {
    const auto found = places.find(tap.id);
    if (found != places.end()) known_.emplace(found->second, ComparedTap{tap, std::nullopt});
  }
  for (const report::Logits& logits : untouched.logits) {
    const auto found = places.find(logits.id);
    if (found != places.end()) known_.at(found->second).logits = logits;
  }
  const tensor::Value none;
  report::Case outputs =
      part_of(untouched, [](const report::Tap& tap) { return is_output(tap.id); });
  for (int i = 0; i < 2 && !outputs.taps.empty(); ++i) {
    std::set<run::TapId> enough;
    for (const report::Tap& tap : enough_of(outputs, gate, {none, Passes::one}).taps)
      enough.insert(tap.id);
    seen_beside_.insert(seen_beside_.end(), enough.begin(), enough.end());
    if (enough.size() > 1) beside_ = Beside::all_outputs;
    outputs = part_of(outputs, [&](const report::Tap& tap) { return enough.count(tap.id) == 0; });
  }
}

bool StructureFaults::is_seen_beside(const run::TapId& id, const run::TapId* spoilt) const {
  if (beside_ == Beside::all_outputs)
    return std::find(seen_beside_.begin(), seen_beside_.end(), id) != seen_beside_.end();
  const auto first = std::find_if(seen_beside_.begin(), seen_beside_.end(), [&](const auto& each) {
    return spoilt == nullptr || each != *spoilt;
  });
  return first != seen_beside_.end() && *first == id;
}

void StructureFaults::deliver(CaseComparison& comparison, std::size_t place) const {
  deliver_as(comparison, place, record(place));
}

void StructureFaults::deliver_as(CaseComparison& comparison, std::size_t place,
                                 const run::TapRecord& record) const {
  comparison.add_compared(record, known_.at(place));
}

void StructureFaults::run(std::string_view fault, const run::TapId* spoilt,
                          const Deliver& deliver_one) {
  CaseComparison comparison(aligned_.reference, nullptr, aligned_.filter, {0, 1});
  for (const std::size_t place : aligned_.places) deliver_one(comparison, place);
  const report::Case whole = comparison.finish();
  report::Case part = part_of(whole, [&](const report::Tap& tap) {
    const bool is_unpaired =
        tap.outcome == report::Outcome::missing || tap.outcome == report::Outcome::additional;
    return is_unpaired || (spoilt != nullptr && tap.id == *spoilt) ||
           is_seen_beside(tap.id, spoilt);
  });
  const tensor::Value none;
  const GateAnswer answer = gate_.ask(std::move(part), {none, Passes::one});
  report::FaultPlace at;
  at.case_name = whole.name;
  if (spoilt != nullptr) at.tap = run::to_string(*spoilt);
  if (!answer.failing.empty()) at.said = answer.failing.front().said;
  tally_.injected(fault, {std::move(at), Weight::gross, answer.light});
}

void StructureFaults::inject_at(std::size_t spoilt) {
  const run::TapRecord other = renamed(record(spoilt));
  const run::TapId& id = record(spoilt).id;
  run(kMissingTap, &id, [&](CaseComparison& comparison, std::size_t place) {
    if (place != spoilt) deliver(comparison, place);
  });
  run(kAdditionalTap, &id, [&](CaseComparison& comparison, std::size_t place) {
    deliver(comparison, place);
    if (place == spoilt) deliver_as(comparison, place, other);
  });
  run(kDoubledTap, &id, [&](CaseComparison& comparison, std::size_t place) {
    deliver(comparison, place);
    if (place == spoilt) deliver(comparison, place);
  });
  run(kRenamedTap, &id, [&](CaseComparison& comparison, std::size_t place) {
    deliver_as(comparison, place, place == spoilt ? other : record(place));
  });
}

void StructureFaults::inject() {
  std::vector<std::size_t> inner;
  std::set<std::size_t> chosen;
  for (const std::size_t place : aligned_.places) {
    if (is_output(record(place).id)) {
      chosen.insert(place);
    } else {
      inner.push_back(place);
    }
  }
  if (!inner.empty()) chosen.insert({inner.front(), inner[inner.size() / 2], inner.back()});
  for (const std::size_t place : chosen) inject_at(place);
  run(kMissingOutput, nullptr, [&](CaseComparison& comparison, std::size_t place) {
    if (!is_output(record(place).id)) deliver(comparison, place);
  });
  run(kNoTaps, nullptr, [](CaseComparison&, std::size_t) {});
}

}  // namespace parity::pipeline

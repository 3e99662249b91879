#include "pipeline/selftest/selftest_taps.h"

#include <algorithm>
#include <cmath>

#include "capture/row_selection.h"
#include "fault/fault_size.h"
#include "fault/numbers.h"
#include "fault/value_changes.h"
#include "fault/value_faults.h"
#include "gate/attribution.h"
#include "gate/policy.h"
#include "pipeline/compare/inherited_dtypes.h"
#include "pipeline/selftest/selftest_structure.h"

namespace parity::pipeline {
namespace {

/// Values of earlier taps that are kept for the one that goes stale.
constexpr std::size_t kValuesKept = 16;
constexpr std::size_t kBytesKept = std::size_t{256} << 20U;  // or the last one, if that is larger
constexpr double kLargestFactor = 1;                         // twice the value
constexpr double kLargestSpike = 1024;                       // of the rms

tensor::Digest other_digest(tensor::Digest digest) {
  digest.bytes[0] = static_cast<std::uint8_t>(digest.bytes[0] ^ 1U);
  return digest;
}

tensor::Shape other_shape(const tensor::Shape& shape) {
  const auto elements = static_cast<std::int64_t>(tensor::element_count(shape));
  return shape == tensor::Shape{elements} ? tensor::Shape{1, elements} : tensor::Shape{elements};
}

/// In the place of the untouched output, or beside them.
void put_in(ComparedTap compared, report::Case& into) {
  const auto replace = [](auto& list, auto value) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const auto& each) { return each.id == value.id; });
    if (found != list.end()) {
      *found = std::move(value);
    } else {
      list.insert(list.begin(), std::move(value));
    }
  };
  replace(into.taps, std::move(compared.tap));
  if (compared.logits) replace(into.logits, std::move(*compared.logits));
}

bool is_alike(const tensor::HostTensor& one, const tensor::HostTensor& other) {
  return one.dtype() == other.dtype() && one.shape() == other.shape();
}

bool has_same_bytes(const tensor::HostTensor& one, const tensor::HostTensor& other) {
  return std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin());
}

bool is_digest(const RecordedTap& tap) { return tap.record->mode == run::StoreMode::digest; }

}  // namespace

TapFaults::TapFaults(const CaseComparison& comparison, const run::CaseRecord& record,
                     report::Case outputs, const TrialInputs& given, const GateOnTrial& gate,
                     SelftestTally& tally)
    : comparison_(comparison),
      record_(record),
      outputs_(std::move(outputs)),
      beside_(enough_of(outputs_, gate, given)),
      given_(given),
      gate_(gate),
      tally_(tally),
      inherited_(inherited_dtypes(record.taps)) {}

TapFaults::Outcome TapFaults::ask(const RecordedTap& tap, const run::TapRecord& record,
                                  const tensor::HostTensor& value) const {
  ComparedTap compared = comparison_.probe(tap.place, tap.stored, {record, value.view()});
  // The steps of a decode are judged together as well.
  const bool is_step =
      given_.passes == Passes::prompt_and_steps && tap.record->id.kind == run::TapKind::output;
  report::Case one = is_step ? outputs_ : beside_;
  put_in(std::move(compared), one);
  Outcome outcome;
  outcome.answer =
      gate_.ask(std::move(one), {given_.inputs, is_step ? given_.passes : Passes::one});
  for (const report::Tap& each : outcome.answer.cases.front().taps) {
    if (each.id == tap.record->id) outcome.rule = each.rule;
  }
  return outcome;
}

TapFaults::Outcome TapFaults::ask(const RecordedTap& tap, const tensor::HostTensor& value) const {
  run::TapRecord record = *tap.record;
  record.digest = tensor::digest_of(value.bytes());
  return ask(tap, record, value);
}

report::FaultPlace TapFaults::place_of(const RecordedTap& tap, const Outcome& outcome) const {
  report::FaultPlace place;
  place.case_name = record_.name;
  place.tap = run::to_string(tap.record->id);
  place.rule = outcome.rule;
  if (!outcome.answer.failing.empty()) {
    const report::FaultPlace& first = outcome.answer.failing.front();
    place.said = first.said;
    if (!first.rule.empty()) place.rule = first.rule;
  }
  return place;
}

void TapFaults::inject(const RecordedTap& tap) {
  tally_.tap();
  inject_values(tap);
  inject_structure(tap);
  measure_reach(tap);
  remember(tap);
}

void TapFaults::inject_values(const RecordedTap& tap) {
  const std::string name = run::to_string(tap.record->id);
  const tensor::DType dtype = gate::bounds_dtype(tap.record->dtype, inherited_[tap.place]);
  const fault::Subject subject{tap.stored, earlier(tap), tap.record->role == run::Role::logits};
  for (const fault::ValueFault& each : fault::value_faults()) {
    if (is_digest(tap)) {
      tally_.not_injected(each.name, "its digest alone is stored", record_.name, name);
      continue;
    }
    if (tap.stored.bytes().empty()) {
      tally_.not_injected(each.name, "it is empty", record_.name, name);
      continue;
    }
    const fault::Spoilt spoilt = each.spoil(subject);
    if (!spoilt.value) {
      tally_.not_injected(each.name, spoilt.reason, record_.name, name);
      continue;
    }
    const fault::FaultSize size = fault::size_of(tap.stored.view(), spoilt.value->view());
    if (!size.is_any()) {
      tally_.not_injected(each.name, "it changes no value there", record_.name, name);
      continue;
    }
    const Outcome outcome = ask(tap, *spoilt.value);
    report::FaultPlace place = place_of(tap, outcome);
    place.nrmse = size.nrmse;
    place.max_error_over_rms = size.max_error_over_rms;
    const bool is_gross =
        each.severity == fault::Severity::always_gross || fault::is_gross(size, dtype);
    const Weight weight = is_gross ? Weight::gross : Weight::small;
    tally_.injected(each.name, {std::move(place), weight, outcome.answer.light});
  }
}

void TapFaults::structure(std::string_view name, const RecordedTap& tap,
                          const run::TapRecord& record, const tensor::HostTensor& value,
                          Weight weight) {
  const Outcome outcome = ask(tap, record, value);
  tally_.injected(name, {place_of(tap, outcome), weight, outcome.answer.light});
}

void TapFaults::inject_structure(const RecordedTap& tap) {
  const run::TapRecord& record = *tap.record;
  run::TapRecord reshaped = record;
  reshaped.shape = other_shape(record.shape);
  structure(kOtherShape, tap, reshaped, tap.stored, Weight::gross);

  run::TapRecord retyped = record;
  retyped.dtype = fault::other_dtype(record.dtype);
  const tensor::HostTensor cast = fault::converted(tap.stored.view(), retyped.dtype);
  if (!is_digest(tap)) retyped.digest = tensor::digest_of(cast.bytes());
  structure(kOtherDtype, tap, retyped, cast, Weight::gross);

  run::TapRecord altered = record;
  altered.digest = other_digest(record.digest);
  if (is_digest(tap)) structure(kOtherDigest, tap, altered, tap.stored, Weight::gross);
  const bool is_partial =
      record.mode == run::StoreMode::rows &&
      static_cast<std::int64_t>(record.rows.size()) < capture::row_count(record.shape);
  if (is_partial) structure(kUnseenRow, tap, altered, tap.stored, Weight::small);
}

void TapFaults::measure_reach(const RecordedTap& tap) {
  const bool is_number =
      tensor::is_floating(tap.record->dtype) || tensor::is_complex(tap.record->dtype);
  if (is_digest(tap) || !is_number || fault::rms_of(tap.stored.view()) == 0) return;
  const std::string group = gate::peer_name(tap.record->id);
  using Spoil = tensor::HostTensor (*)(const tensor::TensorView&, double);
  const auto measure = [&](Spoil spoil, double largest) {
    Outcome last;
    const std::optional<double> seen_from = smallest_seen(
        [&](double size) {
          Outcome outcome = ask(tap, spoil(tap.stored.view(), size));
          const bool is_seen = outcome.answer.light == Light::red;
          if (is_seen || last.rule.empty()) last = std::move(outcome);
          return is_seen;
        },
        largest);
    return std::pair(seen_from, place_of(tap, last));
  };
  const auto [factor, factor_place] = measure(
      [](const tensor::TensorView& view, double size) { return fault::scaled(view, 1 + size); },
      kLargestFactor);
  const auto [spike, spike_place] = measure(fault::with_spike, kLargestSpike);
  tally_.factor_reach(group, factor, factor_place);
  tally_.spike_reach(group, spike, spike_place);
}

const tensor::HostTensor* TapFaults::earlier(const RecordedTap& tap) const {
  const auto found =
      std::find_if(earlier_.rbegin(), earlier_.rend(), [&](const tensor::HostTensor& each) {
        return is_alike(each, tap.stored) && !has_same_bytes(each, tap.stored);
      });
  return found == earlier_.rend() ? nullptr : &*found;
}

/// Of each shape two values: the newest may be the tap's own, handed on by another module.
void TapFaults::remember(const RecordedTap& tap) {
  std::size_t alike = 0;
  for (const tensor::HostTensor& each : earlier_) {
    if (!is_alike(each, tap.stored)) continue;
    if (has_same_bytes(each, tap.stored)) return;
    ++alike;
  }
  const auto oldest = std::find_if(
      earlier_.begin(), earlier_.end(),
      [&](const tensor::HostTensor& each) { return alike < 2 || is_alike(each, tap.stored); });
  if (alike >= 2 || earlier_.size() >= kValuesKept) earlier_.erase(oldest);
  std::size_t size_bytes = tap.stored.bytes().size();
  for (const tensor::HostTensor& each : earlier_) size_bytes += each.bytes().size();
  while (!earlier_.empty() && size_bytes > kBytesKept) {
    size_bytes -= earlier_.front().bytes().size();
    earlier_.erase(earlier_.begin());
  }
  earlier_.push_back(tap.stored);
}

std::optional<double> smallest_seen(const std::function<bool(double)>& sees, double largest) {
  constexpr int kSteps = 160;
  constexpr double kStepsPerOctave = 4;
  const auto value = [&](int step) { return largest * std::exp2(-step / kStepsPerOctave); };
  if (!sees(value(0))) return std::nullopt;
  int seen = 0;
  int unseen = kSteps + 1;
  while (unseen - seen > 1) {
    const int middle = seen + (unseen - seen) / 2;
    (sees(value(middle)) ? seen : unseen) = middle;
  }
  return value(seen);
}

}  // namespace parity::pipeline

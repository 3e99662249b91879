#include "pipeline/attribute/attribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "error/error.h"
#include "gate/attribution.h"
#include "gate/noise.h"
#include "gate/pair_classes.h"
#include "pipeline/attribute/forced_run.h"
#include "pipeline/attribute/reproducer.h"
#include "pipeline/judge/operator_judgement.h"

namespace parity::pipeline {
namespace {

gate::IntroducedError error_of(const std::string& case_name, const report::Tap& tap) {
  const compare::TensorComparison& facts = *tap.introduced;
  gate::IntroducedError error;
  error.case_name = case_name;
  error.tap = tap.id;
  error.dtype = facts.ulp.dtype;
  error.nrmse = facts.nrmse;
  error.max_error_over_rms = facts.max_error_over_rms;
  if (tap.truth) {
    // Without the former, the latter is too much: it has piled up from all layers before.
    const double wrong_by =
        tap.truth->reference_introduced_nrmse.value_or(tap.truth->reference_nrmse);
    if (std::isfinite(wrong_by)) error.reference_error = wrong_by;
  }
  if (tap.noise) error.noise_nrmse = gate::noise_figure(&*tap.noise, "nrmse").value_or(0);
  if (gate::one_sided(facts.classes) > 0) error.nrmse = std::max(error.nrmse, 1.0);
  return error;
}

/// What comes behind it cannot be forced either, so the first is the one that made it.
const report::Tap* first_of_another_shape(const report::Case& one) {
  const auto found = std::find_if(one.taps.begin(), one.taps.end(), [](const report::Tap& tap) {
    return tap.outcome == report::Outcome::shape_differs;
  });
  return found == one.taps.end() ? nullptr : &*found;
}

std::string finding_name(gate::Finding finding) {
  switch (finding) {
    case gate::Finding::none:
      return "none";
    case gate::Finding::culprit:
      return "culprit";
    case gate::Finding::no_single_culprit:
      break;
  }
  return "no_single_culprit";
}

struct Place {
  std::size_t case_index = 0;
  std::size_t tap_index = 0;
};

Place place_of(const report::Blame& blame, const golden_store::GoldenReader& golden) {
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    if (golden.cases()[i].name != blame.case_name) continue;
    const std::vector<run::TapRecord>& taps = golden.cases()[i].taps;
    for (std::size_t j = 0; j < taps.size(); ++j) {
      if (taps[j].id == blame.tap) return {i, j};
    }
  }
  PARITY_CHECK(false && "a blamed tap is one of the golden's");
  return {};
}

/// What runs between the tap before the blamed one and itself, in the model's names: other results
/// of the same call aside, since what they depend on, the blamed one may depend on as well. Of a
/// tap in parts, up to the last.
model::Segment segment_of(std::size_t blamed, const std::vector<ForcedPlace>& places) {
  model::Segment segment;
  const ForcedPlace* first = nullptr;
  for (const ForcedPlace& entry : places) {
    if (entry.place != blamed) continue;
    if (first == nullptr) first = &entry;
    segment.up_to = entry.own;
  }
  PARITY_CHECK(first != nullptr && "the model came to the blamed tap");
  for (const ForcedPlace* entry = places.data(); entry != first; ++entry) {
    run::TapId same_call = entry->own;
    same_call.port = first->own.port;
    if (same_call != first->own) segment.behind = entry->own;
  }
  return segment;
}

/// Whether the golden's tap is one of several parts of the model's, or made of several.
bool is_fused(std::size_t blamed, const std::vector<ForcedPlace>& places) {
  const auto of_blamed = [&](const ForcedPlace& entry) { return entry.place == blamed; };
  const auto found = std::find_if(places.begin(), places.end(), of_blamed);
  const auto same_tap = [&](const ForcedPlace& entry) { return entry.own == found->own; };
  return std::count_if(places.begin(), places.end(), of_blamed) > 1 ||
         std::count_if(places.begin(), places.end(), same_tap) > 1;
}

void add_reproducer(const model::OperatorTrace& trace, const golden_store::GoldenReader& golden,
                    const Place& place, const OperatorSearch& search, report::Report& report) {
  const report::Blame& top = report.attribution->blame.front();
  const WrittenReproducer written =
      write_reproducer(*search.folder, trace,
                       {golden.header(), top, golden.read_tap(place.case_index, place.tap_index)},
                       search.settings, search.libraries);
  report.notes.push_back("the operators behind " + run::to_string(top.tap) + " alone are in " +
                         search.folder->string() + "; replay them with: " + written.command);
  if (!written.difference.empty()) {
    report.notes.push_back("the operators in " + search.folder->string() +
                           " do not give what they gave in the model (" + written.difference +
                           "): they depend on something that was not seen");
  }
}

}  // namespace

void find_operators(model::Model& model, const golden_store::GoldenReader& golden,
                    const OperatorSearch& search, report::Report& report) {
  if (report.attribution->blame.empty()) {
    if (search.folder)
      report.notes.push_back(wrote_no_reproducer("no layer introduces more than is explained"));
    return;
  }
  report::Blame& top = report.attribution->blame.front();
  const Place place = place_of(top, golden);
  ReferenceTaps reference(golden, place.case_index);
  const model::Segment segment = segment_of(place.tap_index, search.places.at(place.case_index));
  const std::unique_ptr<model::OperatorTrace> trace =
      trace_forced(model, golden.read_inputs(place.case_index), segment, reference, search.map);
  judge_operators(*trace, top);
  if (!search.folder) return;
  if (trace->operators().empty()) {
    report.notes.push_back(wrote_no_reproducer("no operator was seen between " +
                                               run::to_string(top.tap) + " and the tap before it"));
    return;
  }
  if (is_fused(place.tap_index, search.places.at(place.case_index))) {
    report.notes.push_back(
        wrote_no_reproducer(run::to_string(top.tap) +
                            " is fused with others in the model, so no value of the golden is what "
                            "its operators give"));
    return;
  }
  try {
    add_reproducer(*trace, golden, place, search, report);
  } catch (const Error& error) {
    report.reproducer_failure = error.what();
    report.notes.push_back(wrote_no_reproducer(report.reproducer_failure));
  }
}

void add_introduced(const report::Case& forced, report::Case& free_running) {
  std::map<run::TapId, const report::Tap*> by_id;
  for (const report::Tap& tap : forced.taps) by_id.emplace(tap.id, &tap);
  for (report::Tap& tap : free_running.taps) {
    const auto found = by_id.find(tap.id);
    if (found != by_id.end()) tap.introduced = found->second->facts;
  }
  for (const std::string& note : forced.notes) {
    if (std::find(free_running.notes.begin(), free_running.notes.end(), note) ==
        free_running.notes.end()) {
      free_running.notes.push_back(note);
    }
  }
}

report::Attribution attribution_of(const report::Report& report) {
  std::vector<gate::IntroducedError> errors;
  for (const report::Case& one : report.cases) {
    if (const report::Tap* reshaped = first_of_another_shape(one)) {
      gate::IntroducedError error{one.name, reshaped->id};
      error.nrmse = 1;
      errors.push_back(error);
    }
    for (const report::Tap& tap : one.taps) {
      // Where the model's output is the last layer's again, that layer was forced and nothing is
      // introduced here.
      if (tap.introduced) errors.push_back(error_of(one.name, tap));
    }
  }
  gate::Attribution found = gate::attribute(errors);
  report::Attribution attribution;
  attribution.finding = finding_name(found.finding);
  attribution.sentence = std::move(found.sentence);
  for (gate::Blame& blame : found.ranked) {
    attribution.blame.push_back({std::move(blame.case_name),
                                 std::move(blame.tap),
                                 blame.introduced_nrmse,
                                 blame.max_error_over_rms,
                                 blame.explained_nrmse,
                                 blame.explained_max_error_over_rms,
                                 blame.share,
                                 {},
                                 std::nullopt,
                                 {}});
  }
  for (gate::Source& source : found.sources) {
    attribution.sources.push_back(
        {std::move(source.layers), source.taps, source.nrmse, source.share});
  }
  return attribution;
}

}  // namespace parity::pipeline

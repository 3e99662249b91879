#include "pipeline/attribution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gate/attribution.h"

namespace parity::pipeline {
namespace {

bool one_sided_non_finite(const compare::ClassCounts& classes) {
  return classes.nan_reference_only + classes.nan_candidate_only + classes.inf_opposite +
             classes.inf_reference_only + classes.inf_candidate_only >
         0;
}

gate::IntroducedError error_of(const std::string& case_name, const report::Tap& tap) {
  const compare::TensorComparison& facts = *tap.introduced;
  gate::IntroducedError error;
  error.case_name = case_name;
  error.tap = tap.id;
  error.dtype = facts.ulp.dtype;
  error.nrmse = facts.nrmse;
  error.max_error_over_rms = facts.max_error_over_rms;
  if (tap.truth && std::isfinite(tap.truth->reference_nrmse))
    error.reference_error = tap.truth->reference_nrmse;
  if (one_sided_non_finite(facts.classes)) error.nrmse = std::max(error.nrmse, 1.0);
  return error;
}

std::string finding_name(gate::Finding finding) {
  switch (finding) {
    case gate::Finding::none:
      return "none";
    case gate::Finding::culprit:
      return "culprit";
    case gate::Finding::no_single_culprit:
      return "no_single_culprit";
    case gate::Finding::not_run:
      break;
  }
  return "not_run";
}

}  // namespace

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
    for (const report::Tap& tap : one.taps) {
      // The model's output is the last layer's again.
      if (tap.introduced && tap.id.kind != run::TapKind::output)
        errors.push_back(error_of(one.name, tap));
    }
  }
  gate::Attribution found = gate::attribute(errors);
  report::Attribution attribution;
  attribution.finding = finding_name(found.finding);
  attribution.sentence = std::move(found.sentence);
  for (gate::Blame& blame : found.ranked) {
    attribution.blame.push_back({std::move(blame.case_name), std::move(blame.tap),
                                 blame.introduced_nrmse, blame.max_error_over_rms,
                                 blame.explained_nrmse, blame.share});
  }
  for (gate::Source& source : found.sources) {
    attribution.sources.push_back(
        {std::move(source.layers), source.taps, source.nrmse, source.share});
  }
  return attribution;
}

}  // namespace parity::pipeline

// What a report says before it is judged, beside its cases: both sides, their differences, the
// reference's noise. Gives no verdict.
#pragma once

#include <string>

#include "report/data/report.h"
#include "run/recording.h"

namespace parity::pipeline {

/// The two sides of a report before any case was compared.
struct Sides {
  std::string reference_file;
  const run::RecordingHeader& reference;
  std::string candidate_file;  ///< "" for a replay
  run::Provenance candidate;   ///< empty for a replay that is still to run
};

[[nodiscard]] report::Report begin_report(const Sides& sides, const std::string& command);

/// Puts the candidate's environment into the report, and what follows from both.
void set_candidate(report::Report& report, run::Provenance candidate);

/// Says how far the reference's own runs were apart, if any case was repeated.
void add_noise_summary(report::Report& report);

}  // namespace parity::pipeline

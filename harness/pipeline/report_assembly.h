// Joins cases into a report and lets the gate have the last word.
#pragma once

#include <string>
#include <vector>

#include "gate/rule_book.h"
#include "report/report.h"
#include "run/recording.h"
#include "run/verdict.h"

namespace parity::pipeline {

/// The two sides of a report before any case was compared.
struct Sides {
  std::string reference_file;
  const run::RecordingHeader& reference;
  std::string candidate_file;  ///< "" for a replay
  run::Provenance candidate;
};

[[nodiscard]] report::Report begin_report(const Sides& sides, const gate::RuleBook& policy,
                                          const std::string& command);

/// Says which side is further from the truth, if any tap has one. `file`: the golden that holds it.
void add_truth_summary(report::Report& report, const std::string& file,
                       const gate::RuleBook& policy);

/// Says how far the reference's own runs were apart, if any case was repeated.
void add_noise_summary(report::Report& report);

/// Fills verdict, reasons, first divergence and totals from the cases, and the bounds of the rules
/// that judged, by dtype.
void conclude(report::Report& report, const gate::RuleBook& policy, run::Strictness strictness);

}  // namespace parity::pipeline

// A policy against what it is to judge, before anything is judged: a golden, or a stored report.
// Finds the taps and what is measured of them; which policy is refused, and in what words, it
// leaves to gate/rule_check.h.
#pragma once

#include <string>

#include "gate/rule_book.h"
#include "gate/rule_check.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "report/data/report.h"

namespace parity::pipeline {

[[nodiscard]] gate::Measured measured_by(AttributionPass pass);
/// `truth_file`: empty where there is no truth.
[[nodiscard]] gate::Measured measured_against(const std::string& truth_file);

/// What some bounds are on beside the comparison itself.
struct MeasuredToo {
  gate::Measured introduced = gate::Measured::no;
  gate::Measured truth = gate::Measured::no;
};

/// Throws Error(usage) on a bound on what is not measured, on a rule that has nothing to judge in
/// the golden, and on a limit that a tap which it judges cannot keep to; see gate::check_against.
/// `asked_dtype`: that of the candidate, where another than the golden's was typed; else empty.
void check_policy(const gate::RuleBook& policy, const golden_store::GoldenReader& golden,
                  const std::string& asked_dtype, const MeasuredToo& measured_too);

/// The same refusals where the comparison has been made.
void check_policy(const gate::RuleBook& policy, const report::Report& report);

}  // namespace parity::pipeline

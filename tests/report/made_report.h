// A report made by hand: every kind of outcome, and numbers that JSON cannot hold.
#pragma once

#include <string>
#include <vector>

#include "report/data/report.h"

namespace parity::report_test {

/// Two cases: one with a row for every outcome and every verdict that fails, one that is identical.
[[nodiscard]] report::Report failing_report();

/// One case of two taps with equal bits.
[[nodiscard]] report::Report identical_report();

/// The identical report with one more tap: complex in the reference, real in the candidate, without
/// facts.
[[nodiscard]] report::Report complex_report();

/// The failing report after a forced replay: a culprit, another tap with an excess, three sources.
[[nodiscard]] report::Report attributed_report();

/// The failing report with a truth at every tap that has facts, and at the logits.
[[nodiscard]] report::Report judged_report();
/// The same with a reference that was repeated and did not give the same bits each time.
[[nodiscard]] report::Report noisy_report();

/// The identical report after a decode of 16 steps in two rows, with logits of the prompt and of
/// eight steps, seven of them outside their bounds, and an undecided flip at step 4.
[[nodiscard]] report::Report decoded_report();

/// The identical report with a tap of which rows were stored, one that a row of a batch has no part
/// in and one that the candidate could not capture; the case is another's run once more.
[[nodiscard]] report::Report stored_report();

/// The failing report with names, reasons and facts that would break every format if they were
/// written as they are, two of them alike once they are shown.
[[nodiscard]] report::Report hostile_report();

/// Names of hostile_report()'s taps in its first case, from its first tap on.
[[nodiscard]] const std::vector<std::string>& hostile_names();

/// A tap with facts whose figures follow from `nrmse`.
[[nodiscard]] report::Tap measured_tap(const std::string& path, double nrmse, run::Verdict verdict);

}  // namespace parity::report_test

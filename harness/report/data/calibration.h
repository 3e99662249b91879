// A calibrated policy as a person and a machine read it: each bound beside what it was made from.
// Plain data; the policy file itself is written elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/terminal/table.h"

namespace parity::report {

struct CalibrationRun {
  std::string variation;  ///< "recording", "replay", "threads", "sdpa", "batch", "repeat", "truth"
  std::string label;
  std::string made_on;  ///< device and versions
};

struct CalibratedBound {
  std::string metric;
  double measured = 0;    ///< the worst over all runs
  std::string variation;  ///< of the run that was the worst; empty where nothing differs
  std::string run;        ///< its label
  std::string case_name;
  std::string tap;
  std::vector<std::pair<std::string, double>> variations;  ///< the worst of each
  double warn = 0;
  double fail = 0;
  std::optional<std::pair<double, double>> built_in;  ///< warn and fail
  bool is_wider = false;                              ///< than the built-in policy's
  std::string remark;  ///< why the limits are not those of the headroom; may be empty
};

struct CalibratedRule {
  std::vector<std::string> layers;  ///< globs; empty: all
  std::string kind;                 ///< empty: every kind
  std::string dtype;                ///< empty: logits
  std::uint64_t taps = 0;
  std::int64_t runs = 0;  ///< that differ from the reference and from each other
  double headroom = 1;
  std::optional<double> truth_factor;
  std::vector<CalibratedBound> bounds;
  /// Metrics without a bound, since what was measured leaves none that could fail, with the worst.
  std::vector<std::pair<std::string, double>> left_out;
};

struct CalibrationPlace {
  std::string case_name;
  std::string tap;
  std::string why;
};

struct Calibration {
  std::string policy;     ///< its name
  std::string reference;  ///< golden's path
  std::string made_on;    ///< its device and versions
  std::string command;
  std::vector<CalibrationRun> runs;
  std::vector<std::string> not_run;  ///< variations that could not be made, and why
  std::vector<std::string> notes;
  std::vector<CalibratedRule> rules;
  std::vector<CalibratedRule> logits;
  std::vector<CalibrationPlace> untestable;  ///< no bound could tell them from wrong ones
  std::vector<CalibrationPlace> beyond;      ///< measured beyond a limit of the policy
};

/// A line for every bound of every rule, with the built-in one beside it.
[[nodiscard]] std::string to_text(const Calibration& calibration, const TableOptions& options);

/// Schema "parity-calibration/1".
[[nodiscard]] std::string to_json(const Calibration& calibration);

}  // namespace parity::report

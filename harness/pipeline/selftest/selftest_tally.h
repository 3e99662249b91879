// Counts what became of every fault, and judges the gate by it. Sees lights, sizes and names, never
// a comparison.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/selftest/selftest_gate.h"
#include "report/data/selftest.h"

namespace parity::pipeline {

/// A fault that was put in. `gross`: the gate has to see it.
enum class Weight : std::uint8_t { small, gross };

struct Injection {
  report::FaultPlace place;  ///< `rule` of the tap that holds it, `said` what the gate said
  Weight weight = Weight::gross;
  Light light = Light::green;
};

class SelftestTally {
 public:
  SelftestTally();

  void injected(std::string_view fault, const Injection& injection);
  void not_injected(std::string_view fault, const std::string& reason, const std::string& case_name,
                    const std::string& tap);
  void control(std::string_view control, const GateAnswer& answer);
  void factor_reach(const std::string& group, std::optional<double> seen_from,
                    const report::FaultPlace& place);
  void spike_reach(const std::string& group, std::optional<double> seen_from,
                   const report::FaultPlace& place);
  void tap() { ++taps_; }
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// Fills lists, verdict, reasons and counts of `result`. Throws Error(incompatible) when no fault
  /// could be put into any tap.
  void finish(report::Selftest& result);

 private:
  [[nodiscard]] report::FaultResult& fault(std::string_view name);
  void judge(report::Selftest& result) const;

  std::vector<report::FaultResult> faults_;
  std::vector<report::ControlResult> controls_;
  std::map<std::string, report::Sensitivity> groups_;
  std::uint64_t taps_ = 0;
  std::uint64_t spoilt_taps_ = 0;
  std::vector<std::string> notes_;
};

/// Names of the faults of structure.
inline constexpr std::string_view kOtherShape = "other_shape";
inline constexpr std::string_view kOtherDtype = "other_dtype";
inline constexpr std::string_view kOtherDigest = "other_digest";
inline constexpr std::string_view kUnseenRow = "row_not_stored";
inline constexpr std::string_view kMissingTap = "missing_tap";
inline constexpr std::string_view kAdditionalTap = "additional_tap";
inline constexpr std::string_view kDoubledTap = "doubled_tap";
inline constexpr std::string_view kRenamedTap = "renamed_tap";
inline constexpr std::string_view kMissingOutput = "missing_output";
inline constexpr std::string_view kNoTaps = "no_taps";
inline constexpr std::string_view kMissingCase = "missing_case";
inline constexpr std::string_view kAdditionalCase = "additional_case";
inline constexpr std::string_view kNoCases = "no_cases";

/// Names of the controls.
inline constexpr std::string_view kUntouched = "untouched";
inline constexpr std::string_view kReordered = "reordered";
inline constexpr std::string_view kRounding = "rounding";

}  // namespace parity::pipeline

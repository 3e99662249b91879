// Faults in one tap of a case, one after the other, the rest of the case being the recording's.
// Knows no verdict: a fault is seen when the gate turns red.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/compare/case_comparison.h"
#include "pipeline/selftest/selftest_gate.h"
#include "pipeline/selftest/selftest_lanes.h"
#include "pipeline/selftest/selftest_tally.h"

namespace parity::pipeline {

class TapFaults {
 public:
  /// `outputs`: the model's outputs, compared with themselves: what the gate needs to see beside
  /// the spoilt tap.
  TapFaults(const CaseComparison& comparison, const run::CaseRecord& record, report::Case outputs,
            const TrialInputs& given, const GateOnTrial& gate, SelftestTally& tally);

  void inject(const RecordedTap& tap);

 private:
  struct Outcome {
    GateAnswer answer;
    std::string rule;  ///< of the spoilt tap
  };
  [[nodiscard]] Outcome ask(const RecordedTap& tap, const run::TapRecord& record,
                            const tensor::HostTensor& value) const;
  [[nodiscard]] Outcome ask(const RecordedTap& tap, const tensor::HostTensor& value) const;
  [[nodiscard]] report::FaultPlace place_of(const RecordedTap& tap, const Outcome& outcome) const;
  void inject_values(const RecordedTap& tap);
  void inject_structure(const RecordedTap& tap);
  void structure(std::string_view name, const RecordedTap& tap, const run::TapRecord& record,
                 const tensor::HostTensor& value, Weight weight);
  void measure_reach(const RecordedTap& tap);
  void remember(const RecordedTap& tap);
  [[nodiscard]] const tensor::HostTensor* earlier(const RecordedTap& tap) const;

  const CaseComparison& comparison_;
  const run::CaseRecord& record_;
  const report::Case outputs_;
  const report::Case beside_;  ///< of the outputs, what the gate needs to see beside a fault
  const TrialInputs given_;
  const GateOnTrial& gate_;
  SelftestTally& tally_;
  const std::vector<std::optional<tensor::DType>> inherited_;  ///< by place
  std::vector<tensor::HostTensor> earlier_;                    ///< the newest last
};

/// The smallest of the values `largest` * 2^(-k/4), k from 0 to 160, that is seen, given that
/// whatever is larger is seen too; nullopt when `largest` is not.
[[nodiscard]] std::optional<double> smallest_seen(const std::function<bool(double)>& sees,
                                                  double largest);

}  // namespace parity::pipeline

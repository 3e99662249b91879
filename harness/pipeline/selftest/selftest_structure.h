// Faults of a run's structure: a tap too few, too many, twice, under another name, no output, none
// at all. Each goes through the real alignment, with what was measured of the untouched taps: no
// value is compared again. Knows no fault of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "pipeline/compare/case_comparison.h"
#include "pipeline/selftest/selftest_gate.h"
#include "pipeline/selftest/selftest_tally.h"

namespace parity::pipeline {

/// What the alignment of a case needs.
struct AlignedCase {
  ReferenceTaps& reference;
  capture::TapFilter& filter;
  std::vector<std::size_t> places;  ///< of the taps that are compared, in the order of the run
};

class StructureFaults {
 public:
  /// `untouched`: the case compared with itself.
  StructureFaults(const AlignedCase& aligned, const report::Case& untouched,
                  const GateOnTrial& gate, SelftestTally& tally);

  /// At the first, the middle and the last tap inside the model, and at every output.
  void inject();

 private:
  using Deliver = std::function<void(CaseComparison&, std::size_t place)>;

  void deliver(CaseComparison& comparison, std::size_t place) const;
  void deliver_as(CaseComparison& comparison, std::size_t place,
                  const run::TapRecord& record) const;
  void inject_at(std::size_t place);
  [[nodiscard]] bool is_seen_beside(const run::TapId& id, const run::TapId* spoilt) const;
  /// A run in which `deliver_one` stands for each of its taps. `spoilt`: nullptr for the run as a
  /// whole.
  void run(std::string_view fault, const run::TapId* spoilt, const Deliver& deliver_one);
  [[nodiscard]] const run::TapRecord& record(std::size_t place) const {
    return aligned_.reference.record().taps[place];
  }

  const AlignedCase aligned_;
  const GateOnTrial& gate_;
  SelftestTally& tally_;
  std::map<std::size_t, ComparedTap> known_;  ///< by place
  /// What the gate wants to see beside a fault to be green.
  enum class Beside : std::uint8_t { one_output, all_outputs };
  Beside beside_ = Beside::one_output;
  /// Outputs that have the gate green: two, of which one may be what is spoilt, or all.
  std::vector<run::TapId> seen_beside_;
};

/// Of outputs that are compared with themselves, the first that has the gate green by itself; all
/// of them where none has.
[[nodiscard]] report::Case enough_of(const report::Case& outputs, const GateOnTrial& gate,
                                     const TrialInputs& given);

}  // namespace parity::pipeline

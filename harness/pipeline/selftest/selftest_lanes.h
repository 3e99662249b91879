// The controls of a case, whole runs that go by while its taps are read once: the untouched
// recording, its taps in another order, and with rounding. Each is aligned and compared by the real
// comparison. Knows no fault.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/compare/case_comparison.h"
#include "pipeline/selftest/selftest_gate.h"
#include "pipeline/selftest/selftest_tally.h"

namespace parity::pipeline {

/// A tap as it was recorded.
struct RecordedTap {
  std::size_t place = 0;
  const run::TapRecord* record = nullptr;
  tensor::HostTensor stored;
};

class SelftestLanes {
 public:
  SelftestLanes(ReferenceTaps& reference, const TruthTaps* truth, capture::TapFilter& filter,
                const CompareChoice& choice);

  void add(const RecordedTap& tap);
  /// Has the gate judge every lane. Returns the untouched recording as it was measured.
  [[nodiscard]] report::Case finish(const GateOnTrial& gate, const TrialInputs& given,
                                    SelftestTally& tally);

 private:
  struct Lane {
    std::string_view name;
    std::unique_ptr<CaseComparison> comparison;
  };
  [[nodiscard]] CaseComparison& lane(std::string_view name);
  void deliver(std::string_view name, const RecordedTap& tap);
  void deliver_as(std::string_view name, const RecordedTap& tap, const run::TapRecord& record,
                  const tensor::HostTensor& value);
  void add_reordered(const RecordedTap& tap);

  ReferenceTaps& reference_;
  std::vector<Lane> lanes_;
  std::optional<RecordedTap> held_back_;
};

}  // namespace parity::pipeline

#include "pipeline/one_sided_case.h"

#include "pipeline/tap_comparison.h"

namespace parity::pipeline {

report::Case one_sided_case(const run::CaseRecord& record, gate::Unpaired side,
                            capture::TapFilter& filter) {
  report::Case result;
  result.name = record.name;
  result.notes.emplace_back(side == gate::Unpaired::missing
                                ? "the candidate has no case of this name"
                                : "the reference has no case of this name");
  for (const run::TapRecord& tap : record.taps) {
    if (filter.keeps(tap.id)) result.taps.push_back(unpaired_tap(tap, side));
  }
  return result;
}

}  // namespace parity::pipeline

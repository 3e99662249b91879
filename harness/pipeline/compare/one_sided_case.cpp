#include "pipeline/compare/one_sided_case.h"

#include <optional>
#include <vector>

#include "pipeline/compare/inherited_dtypes.h"
#include "pipeline/compare/tap_comparison.h"

namespace parity::pipeline {
namespace {

void add_missing(const run::CaseRecord& record, capture::TapFilter& filter, report::Case& result) {
  const std::vector<std::optional<tensor::DType>> inherited = inherited_dtypes(record.taps);
  for (std::size_t place = 0; place < record.taps.size(); ++place) {
    const run::TapRecord& tap = record.taps[place];
    if (filter.keeps(tap.id)) {
      result.taps.push_back(missing_tap(tap, inherited[place]));
    } else {
      result.left_out.push_back(left_out_tap(tap, inherited[place]));
    }
  }
}

}  // namespace

report::Case one_sided_case(const run::CaseRecord& record, gate::Unpaired side,
                            capture::TapFilter& filter) {
  report::Case result;
  result.name = record.name;
  if (side == gate::Unpaired::missing) {
    result.notes.emplace_back("the candidate has no case of this name");
    add_missing(record, filter, result);
    return result;
  }
  result.notes.emplace_back("the reference has no case of this name");
  for (const run::TapRecord& tap : record.taps) {
    if (filter.keeps(tap.id)) result.taps.push_back(additional_tap(tap));
  }
  return result;
}

}  // namespace parity::pipeline

#include "pipeline/record/uncaptured.h"

#include <algorithm>

namespace parity::pipeline {
namespace {

constexpr std::size_t kNamed = 3;

template <typename Tap>
bool is_output(const Tap& tap) {
  return tap.id.kind == run::TapKind::output;
}

}  // namespace

std::string uncaptured_remark(const std::vector<run::SkippedTap>& skipped) {
  if (skipped.empty()) return {};
  std::vector<run::SkippedTap> ordered = skipped;
  std::stable_partition(ordered.begin(), ordered.end(), is_output<run::SkippedTap>);
  std::string text = "not captured: ";
  for (std::size_t i = 0; i < std::min(kNamed, ordered.size()); ++i) {
    text += (i == 0 ? "" : "; ") + run::to_string(ordered[i].id) + ", " + ordered[i].reason;
  }
  if (ordered.size() > kNamed) text += "; and " + std::to_string(ordered.size() - kNamed) + " more";
  return text;
}

std::string lacks_output(const run::CaseRecord& record) {
  if (std::any_of(record.taps.begin(), record.taps.end(), is_output<run::TapRecord>)) return {};
  const auto output =
      std::find_if(record.skipped.begin(), record.skipped.end(), is_output<run::SkippedTap>);
  if (output == record.skipped.end()) return "the reference holds none";
  return output->reason;
}

}  // namespace parity::pipeline

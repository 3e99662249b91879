#include "pipeline/compare/case_lookup.h"

#include <algorithm>

namespace parity::pipeline {

std::optional<std::size_t> find_case(const golden_store::GoldenReader& golden,
                                     const std::string& name) {
  const auto found =
      std::find_if(golden.cases().begin(), golden.cases().end(),
                   [&](const run::CaseRecord& record) { return record.name == name; });
  if (found == golden.cases().end()) return std::nullopt;
  return static_cast<std::size_t>(found - golden.cases().begin());
}

}  // namespace parity::pipeline

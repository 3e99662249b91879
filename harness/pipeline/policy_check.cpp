#include "pipeline/policy_check.h"

#include <cstddef>
#include <vector>

#include "compare/formats.h"
#include "gate/rule_check.h"
#include "pipeline/inherited_dtypes.h"

namespace parity::pipeline {
namespace {

/// Of the comparison with a candidate in the dtype that was asked for.
tensor::DType judged_dtype(const run::TapRecord& tap, const std::optional<tensor::DType>& inherited,
                           const std::optional<tensor::DType>& asked) {
  const tensor::DType own =
      asked && tensor::is_floating(tap.dtype) ? compare::coarser(tap.dtype, *asked) : tap.dtype;
  return gate::bounds_dtype(own, inherited);
}

}  // namespace

void check_policy(const gate::RuleBook& policy, const golden_store::GoldenReader& golden,
                  const std::optional<tensor::DType>& asked) {
  std::vector<gate::RuleSubject> subjects;
  for (const run::CaseRecord& one : golden.cases()) {
    const std::vector<std::optional<tensor::DType>> inherited = inherited_dtypes(one.taps);
    for (std::size_t place = 0; place < one.taps.size(); ++place) {
      const run::TapRecord& tap = one.taps[place];
      subjects.push_back({tap.id, judged_dtype(tap, inherited[place], asked), one.name, tap.role});
    }
  }
  gate::check_against(policy, subjects);
}

}  // namespace parity::pipeline

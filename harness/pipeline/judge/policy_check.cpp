#include "pipeline/judge/policy_check.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/formats.h"
#include "pipeline/compare/inherited_dtypes.h"

namespace parity::pipeline {
namespace {

/// Of the comparison with a candidate in the dtype that was asked for.
tensor::DType subject_dtype(tensor::DType dtype, const std::optional<tensor::DType>& inherited,
                            const std::string& asked_dtype) {
  const std::optional<tensor::DType> asked = tensor::dtype_from_name(asked_dtype);
  const tensor::DType own =
      asked && tensor::is_floating(dtype) ? compare::coarser(dtype, *asked) : dtype;
  return gate::bounds_dtype(own, inherited);
}

void add_size(const std::optional<tensor::Shape>& shape, tensor::DType dtype,
              gate::RuleSubject& subject) {
  if (!shape) return;
  const std::uint64_t elements = tensor::element_count(*shape);
  subject.elements = elements * (tensor::is_complex(dtype) ? 2 : 1);
  // [..., vocabulary]
  if (!shape->empty() && shape->back() > 0)
    subject.positions = elements / static_cast<std::uint64_t>(shape->back());
}

/// A tap of a report, or one that was left out of it.
template <typename Tap>
gate::RuleSubject subject_of(const Tap& tap, const report::Case& item,
                             const std::string& asked_dtype) {
  const tensor::DType dtype =
      subject_dtype(tensor::dtype_from_name(tap.dtype).value(),
                    tensor::dtype_from_name(tap.inherited_dtype), asked_dtype);
  gate::RuleSubject subject{tap.id, dtype, report::recorded_name(item), tap.role};
  add_size(tap.shape, tensor::dtype_from_name(tap.dtype).value(), subject);
  return subject;
}

}  // namespace

gate::Measured measured_by(AttributionPass pass) {
  return pass == AttributionPass::forced ? gate::Measured::yes : gate::Measured::no;
}

gate::Measured measured_against(const std::string& truth_file) {
  return truth_file.empty() ? gate::Measured::no : gate::Measured::yes;
}

void check_policy(const gate::RuleBook& policy, const golden_store::GoldenReader& golden,
                  const std::string& asked_dtype, const MeasuredToo& measured_too) {
  gate::check_measured(policy, measured_too.introduced, measured_too.truth);
  std::vector<gate::RuleSubject> subjects;
  for (const run::CaseRecord& one : golden.cases()) {
    const std::vector<std::optional<tensor::DType>> inherited = inherited_dtypes(one.taps);
    for (std::size_t place = 0; place < one.taps.size(); ++place) {
      const run::TapRecord& tap = one.taps[place];
      subjects.push_back(
          {tap.id, subject_dtype(tap.dtype, inherited[place], asked_dtype), one.name, tap.role});
      add_size(tap.shape, tap.dtype, subjects.back());
    }
  }
  gate::check_against(policy, subjects);
}

void check_policy(const gate::RuleBook& policy, const report::Report& report) {
  gate::check_measured(
      policy, measured_by(report.attribution ? AttributionPass::forced : AttributionPass::none),
      measured_against(report.truth_file));
  std::vector<gate::RuleSubject> subjects;
  for (const report::Case& one : report.cases) {
    for (const report::Tap& tap : one.taps) {
      // The reference has no such tap.
      if (tap.outcome == report::Outcome::additional) continue;
      subjects.push_back(subject_of(tap, one, report.asked_dtype));
    }
    for (const report::LeftOutTap& tap : one.left_out)
      subjects.push_back(subject_of(tap, one, report.asked_dtype));
  }
  gate::check_against(policy, subjects);
}

}  // namespace parity::pipeline

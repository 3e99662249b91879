// Limits on facts, each with its reason and origin, and the judgement of one tap or of logits under them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/compare_tensors.h"
#include "compare/facts.h"
#include "run/tap.h"
#include "run/verdict.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// One limit on one metric: beyond `warn` is suspect, beyond `fail` diverged. A NaN metric is beyond both.
struct Bound {
  std::string metric;  ///< "nrmse", "max_error_over_rms", "kl.max", "decided_flips", ...
  double warn = 0;
  double fail = 0;
  std::string origin;  ///< where the number comes from
};

/// All limits for one dtype. All bounds join by AND.
struct DTypePolicy {
  tensor::DType dtype = tensor::DType::float32;
  std::vector<Bound> bounds;
  compare::ElementBound element_bound;  ///< what counts as an element outside, for `where` and hints
};

struct Policy {
  std::string name;
  std::vector<DTypePolicy> dtypes;
  std::vector<Bound> logits;

  [[nodiscard]] const DTypePolicy& for_dtype(tensor::DType dtype) const;
};

/// The built-in policy: bounds by dtype from rounding analysis and measured cross-vendor recordings.
[[nodiscard]] const Policy& default_policy();

/// A verdict with the reasons for it, each naming metric, value and bound.
struct Judgement {
  run::Verdict verdict = run::Verdict::untested;
  std::vector<std::string> reasons;
};

/// Judges one tap of kind `kind` by its outcome; bounds come from `policy` by the reference's dtype.
[[nodiscard]] Judgement judge(const compare::Outcome& outcome, run::TapKind kind, const Policy& policy);

/// Judges logits; joins the output tap's judgement by taking the worse.
[[nodiscard]] Judgement judge_logits(const compare::LogitsComparison& logits, const Policy& policy);

}  // namespace parity::gate

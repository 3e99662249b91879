// Limits on facts, each with its reason and origin, and the judgement of one tap or of logits under
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/facts.h"
#include "compare/logits_facts.h"
#include "run/noise.h"
#include "run/tap.h"
#include "run/verdict.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// What becomes of a rule that judges nothing in a golden, and of a bound on what a comparison does
/// not measure: refused, or left aside.
enum class Presence : std::uint8_t { required, optional };

/// One limit on one metric: beyond `warn` is suspect, beyond `fail` diverged. A NaN metric is
/// beyond both.
struct Bound {
  std::string metric;  ///< "nrmse", "max_error_over_rms", "kl.max", "decided_flips", ...
  double warn = 0;
  double fail = 0;
  std::string origin;  ///< where the number comes from
  int line = 0;        ///< in the policy file; 0 for the built-in policy
  /// Optional only on metrics that not every comparison measures, see is_late in gate/rule_book.h.
  Presence presence = Presence::required;
};

/// All limits for one dtype. All bounds join by AND.
struct DTypePolicy {
  tensor::DType dtype = tensor::DType::float32;
  std::vector<Bound> bounds;
  double truth_factor = 2;  ///< how many times the reference's error against the truth the
                            ///< candidate's may be, see gate/truth.h; at least 1
};

/// What becomes of a tap whose dtype differs between the sides. `refused`: verdict dtype_differs,
/// whatever the values. `allowed`: judged by the bounds of the coarser dtype, for comparisons that
/// change the dtype on purpose.
enum class DtypeDifference : std::uint8_t { refused, allowed };

struct Policy {
  std::string name;
  std::vector<DTypePolicy> dtypes;
  std::vector<Bound> logits;

  /// Throws Error(usage) when the policy says nothing about `dtype`.
  [[nodiscard]] const DTypePolicy& for_dtype(tensor::DType dtype) const;
};

/// Whether a tap without a bound here is bounded by something that is measured later, see
/// gate/late_bounds.h, or by nothing at all.
enum class OtherBounds : std::uint8_t { none, some };

/// What holds for one tap beside the policy, which is the same for all.
struct TapRules {
  DtypeDifference dtype_difference = DtypeDifference::refused;
  /// Coarsest dtype that the values behind the tap have been rounded to: a float32 norm inside a
  /// float16 model cannot agree better than its inputs do. Floating taps are judged by the bounds
  /// of this dtype where it is the coarser one; nullopt: by their own.
  std::optional<tensor::DType> inherited = {};
  /// How far the reference's own runs were apart, which is the floor of every bound: see
  /// gate/noise.h. nullptr where it was not recorded.
  const run::TapNoise* noise = nullptr;
  OtherBounds other_bounds = OtherBounds::none;
};

/// Whose bounds a tap of dtype `own` is judged by; see TapRules::inherited.
[[nodiscard]] tensor::DType bounds_dtype(tensor::DType own, std::optional<tensor::DType> inherited);

/// Throws Error(usage) on a policy that cannot judge: an unknown metric, limits that are NaN or in
/// the wrong order, a bound without origin, no bounds, cosine as the only bound, or an nrmse limit
/// that means nothing for its dtype.
void validate(const Policy& policy);

/// The built-in policy: bounds by dtype from rounding analysis and measured cross-vendor
/// recordings.
[[nodiscard]] const Policy& default_policy();

/// A verdict with the reasons for it, each naming metric, value and bound.
struct Judgement {
  run::Verdict verdict = run::Verdict::untested;
  std::vector<std::string> reasons;
};

/// Judges one tap of kind `kind` by its outcome; bounds come from `policy` by the reference's dtype
/// (the coarser one where dtypes differ and the rules allow it, or where `inherited` is coarser).
/// A passing judgement may carry reasons too: they are remarks.
[[nodiscard]] Judgement judge(const compare::Outcome& outcome, run::TapKind kind,
                              const Policy& policy, const TapRules& rules = {});

/// Judges logits. Rows that are not finite fail: nothing here says that both sides have them.
[[nodiscard]] Judgement judge_logits(const compare::LogitsComparison& logits, const Policy& policy);

/// As above, with the comparison of the same output: rows that are not finite on both sides alike
/// are only suspect (untrusted when no finite row is left). Of `rules`, noise counts.
[[nodiscard]] Judgement judge_logits(const compare::LogitsComparison& logits,
                                     const compare::Outcome& output, const Policy& policy,
                                     const TapRules& rules = {});

}  // namespace parity::gate

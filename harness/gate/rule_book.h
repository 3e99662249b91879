// A whole policy: rules in order, the first of which that matches a tap judges it, and what a tap
// is then held to. Chooses limits; compares nothing with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/policy.h"
#include "run/glob.h"
#include "run/tap.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// Which taps a rule is for: those that every list that is not empty matches.
struct Selector {
  std::vector<run::Glob> layers;  ///< over the layer path and the full name
  std::vector<run::TapKind> kinds;
  std::vector<run::Glob> ops;  ///< over the operator; other taps have none
  /// Whose rounding the tap has: the coarser of its two sides', or what it inherits where that is
  /// coarser. Empty: every dtype that is rounded, so neither integers nor bools.
  std::vector<tensor::DType> dtypes;
  std::vector<run::Glob> cases;  ///< over the case's name

  bool operator==(const Selector&) const = default;
};

struct Rule {
  std::string id;  ///< "nightly.toml:14", "default/bfloat16"
  int line = 0;    ///< in the policy file; 0 for the built-in policy
  Selector selector;
  Presence presence = Presence::required;
  std::string reason;
  /// Of a rule for taps: on metrics of gate/metrics.h, on the same behind "introduced.", and on
  /// "truth.ratio".
  std::vector<Bound> bounds;
  std::optional<double> truth_factor;  ///< nullopt: that of the tap's own dtype
};

struct RuleBook {
  std::string name;
  std::string file;  ///< as typed; empty for the built-in policy
  std::vector<Rule> taps;
  std::vector<Rule> logits;
  std::map<tensor::DType, double> truth_factors;  ///< by the tap's own dtype
};

/// The built-in policy as rules, one for each dtype and one for logits.
[[nodiscard]] const RuleBook& default_rules();

inline constexpr std::string_view kIntroducedPrefix = "introduced.";
inline constexpr std::string_view kTruthRatio = "truth.ratio";

/// Whether a bound is on what is known only after a tap was judged by itself, see
/// gate/late_bounds.h: not every comparison measures it.
[[nodiscard]] bool is_late(std::string_view metric);

/// What is asked for limits: a tap, whose rounding it has (see Selector::dtypes), and its case.
struct TapQuery {
  const run::TapId& tap;
  tensor::DType dtype;
  const std::string& case_name;
};

/// Rules for taps, or rules for the logits of outputs, which have no dtype.
enum class RuleKind : std::uint8_t { taps, logits };

/// Places of all rules that match, in their order.
[[nodiscard]] std::vector<std::size_t> matching(const std::vector<Rule>& rules, RuleKind kind,
                                                const TapQuery& query);

/// The first rule that matches; nullptr when none does.
[[nodiscard]] const Rule* find_rule(const RuleBook& book, const TapQuery& query);
[[nodiscard]] const Rule* find_logits_rule(const RuleBook& book, const run::TapId& output,
                                           const std::string& case_name);

/// What one tap, or the logits of one output, is held to.
struct Limits {
  const Rule* rule = nullptr;  ///< of the book; nullptr when no rule matches
  /// The rule's bounds on the comparison itself and the truth factors: see gate::judge.
  Policy policy;
  std::vector<Bound> introduced;     ///< without their prefix
  std::optional<Bound> truth_ratio;  ///< see gate/late_bounds.h

  /// The rule's id; empty when none matches.
  [[nodiscard]] std::string rule_id() const { return rule == nullptr ? std::string{} : rule->id; }
  [[nodiscard]] OtherBounds other_bounds() const {
    return introduced.empty() && !truth_ratio ? OtherBounds::none : OtherBounds::some;
  }
};

[[nodiscard]] Limits limits_for(const RuleBook& book, const TapQuery& query);
[[nodiscard]] Limits logits_limits_for(const RuleBook& book, const run::TapId& output,
                                       const std::string& case_name);

}  // namespace parity::gate

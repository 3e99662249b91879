// The gate over a whole run: one decision from the verdicts on all taps and logits.
// Sees verdicts only, never a number of a comparison.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/facts.h"
#include "gate/policy.h"
#include "run/tap.h"
#include "run/verdict.h"

namespace parity::gate {

/// Whether the reference's values at a tap could prove anything: a constant tensor cannot.
enum class Content : std::uint8_t { varied, constant };

[[nodiscard]] Content content_of(const compare::Outcome& outcome);

/// One tap, or the logits of one output, as judged. Missing and additional taps are listed as well.
struct JudgedTap {
  run::TapId id;
  run::Verdict verdict = run::Verdict::untested;
  std::uint64_t elements = 0;
  Content content = Content::varied;
};

struct JudgedCase {
  std::string name;
  std::vector<JudgedTap> taps;  ///< in the reference's execution order
  std::vector<JudgedTap> logits;
  std::string untested_output = {};  ///< why no output of the model was compared; empty: one was
};

enum class Decision : std::uint8_t { failed, passed };

struct FirstDivergence {
  std::string case_name;
  run::TapId tap;
};

/// Numbers of taps; logits are not counted.
struct TapCounts {
  std::uint64_t passed = 0;
  std::uint64_t warned = 0;  ///< suspect, and passing
  std::uint64_t failed = 0;
};

struct GateResult {
  Decision decision = Decision::failed;
  std::vector<std::string> reasons;  ///< empty only when everything is identical
  /// First tap in execution order, by case, whose values, shape or dtype fail; else logits that
  /// fail. Missing, additional and untested taps are named in `reasons`: nothing diverged there.
  std::optional<FirstDivergence> first_divergence;
  TapCounts taps;

  [[nodiscard]] int exit_code() const { return decision == Decision::passed ? 0 : 1; }
};

/// A tap that only one side has.
enum class Unpaired : std::uint8_t { missing, additional };
[[nodiscard]] Judgement judge_unpaired(Unpaired side);

/// A tap of which only some rows were compared, all equal, while digests say that the rest is not:
/// suspect.
[[nodiscard]] Judgement judge_unseen_difference();

/// Passes when every case compared something that could have differed and every verdict passes.
[[nodiscard]] GateResult overall(const std::vector<JudgedCase>& cases, run::Strictness strictness);

}  // namespace parity::gate

// What was measured of the taps that share a rule, and the rule's bounds made from it. Chooses no
// taps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "gate/calibration.h"
#include "gate/metrics.h"

namespace parity::gate {

using Spreads = std::vector<const Spread*>;

/// nullopt where the run did not measure it.
[[nodiscard]] std::optional<double> figure_of(const Spread& spread, std::string_view metric,
                                              Direction direction);

/// "3 runs of a case that differ".
[[nodiscard]] std::string runs_text(std::int64_t count);

/// Whether anything differs.
[[nodiscard]] bool differs(const Spread& spread);

/// A rule without selector and reason.
struct Evidenced {
  Rule rule;
  RuleEvidence evidence;
};

/// Of taps of one dtype; without bounds where none can be given.
[[nodiscard]] Evidenced bound_taps(const Spreads& spreads, const CalibrationInput& input,
                                   const CalibrationChoice& choice);
/// The same of logits.
[[nodiscard]] Evidenced bound_logits(const Spreads& spreads, const CalibrationInput& input,
                                     const CalibrationChoice& choice);

/// Why no limit could let the tap, or the logits, pass; empty where one can.
[[nodiscard]] std::string why_untestable(const Spread& spread);
[[nodiscard]] std::string why_untestable_logits(const Spread& spread);

/// The bound that the spread is beyond, and by what; empty where it is inside all warn limits.
[[nodiscard]] std::string what_is_beyond(const Spread& spread, const std::vector<Bound>& bounds);

}  // namespace parity::gate

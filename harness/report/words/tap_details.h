// What there is to say about one tap beyond its row: why it failed, where, in what pattern, and the
// worst elements.
#pragma once

#include <string>

#include "report/data/report.h"
#include "report/terminal/page.h"

namespace parity::report {

/// `mark` is "→" for the first divergence; `top` elements are listed at most.
void add_tap_details(Page& page, const Tap& tap, std::string_view mark, int top);

/// "40 of 4096 elements outside (0.98 %), first at [0,16,3]; axis 1 >= 16 (...)": of facts with
/// elements outside.
[[nodiscard]] std::string where_text(const compare::TensorComparison& facts);

/// One wrapped line or two: positions, agreement, flips with the gap that shows a tie, KL, first
/// divergent position.
void add_logits(Page& page, const Logits& logits, std::string_view mark);

}  // namespace parity::report

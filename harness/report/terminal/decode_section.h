// The decode of a case in the table.
// Shows tokens as numbers: no tokenizer is known here.
#pragma once

#include <string_view>
#include <vector>

#include "report/data/report.h"
#include "report/terminal/page.h"

namespace parity::report {

/// How many tokens agree, the first that does not, and what all steps together say. Nothing for a
/// case without a decode. `mark` is "→" where the first divergence is there.
void add_decode(Page& page, const Case& item, std::string_view mark);

/// The logits that the table shows: all of a case without a decode; of a decode the prompt's, and
/// of the steps only the first few that do not pass, unless all are asked for.
[[nodiscard]] std::vector<const Logits*> shown_logits(const Case& item, Show show);

}  // namespace parity::report

// The decode of a case in the table and in JSON.
#pragma once

#include <vector>

#include "report/json_number.h"
#include "report/page.h"
#include "report/report.h"

namespace parity::report {

/// One line: how many tokens agree, and the first that does not. Nothing for a case without a
/// decode.
void add_decode(Page& page, const Case& item);

/// The logits that the table shows: all of a case without a decode; of a decode the prompt's, and
/// of the steps only the first few that do not pass, unless all are asked for.
[[nodiscard]] std::vector<const Logits*> shown_logits(const Case& item, Show show);

/// null for a case without a decode.
[[nodiscard]] Json decode_json(const Case& item);

}  // namespace parity::report

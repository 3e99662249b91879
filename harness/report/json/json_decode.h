// The decode of a case as the report's JSON holds it. Private to the folder: nlohmann's type shows.
// Tokens at the ends of sequences, which only a terminal shows, are not in it.
#pragma once

#include "report/data/report.h"
#include "report/json/json_number.h"

namespace parity::report {

/// null for a case without a decode.
[[nodiscard]] Json decode_json(const Case& item);

}  // namespace parity::report

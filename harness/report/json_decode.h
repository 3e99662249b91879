// The decode of a case as the report's JSON holds it. Private to the folder: nlohmann's type shows.
#pragma once

#include "report/json_number.h"
#include "report/report.h"

namespace parity::report {

/// null for a case without a decode.
[[nodiscard]] Json decode_json(const Case& item);

}  // namespace parity::report

// A case out of the report's JSON: its taps, logits and decode. Private to the folder.
#pragma once

#include "report/json_node.h"
#include "report/report.h"

namespace parity::report {

[[nodiscard]] Case read_case(const JsonNode& node);

/// "pass" or "fail".
[[nodiscard]] Result read_result(const JsonNode& node);

}  // namespace parity::report

// A case out of the report's JSON: its taps, logits and decode. Private to the folder.
// Refuses what to_json() could not have written.
#pragma once

#include "report/data/report.h"
#include "report/json_reader/json_node.h"

namespace parity::report {

[[nodiscard]] Case read_case(const JsonNode& node);

/// "pass" or "fail".
[[nodiscard]] Result read_result(const JsonNode& node);

}  // namespace parity::report

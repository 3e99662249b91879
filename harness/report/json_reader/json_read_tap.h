// A tap out of the report's JSON. Private to the folder: nlohmann's type shows.
// Refuses a tap whose parts contradict each other.
#pragma once

#include "report/data/report.h"
#include "report/json_reader/json_node.h"

namespace parity::report {

[[nodiscard]] run::TapId read_id(const JsonNode& node);
[[nodiscard]] Tap read_tap(const JsonNode& node);
[[nodiscard]] LeftOutTap read_left_out(const JsonNode& node);

}  // namespace parity::report

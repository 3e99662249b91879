// What a report's JSON says over all cases: blame, truth, noise, places, and the bounds in force.
// Private to the folder: nlohmann's type shows.
#pragma once

#include <optional>
#include <vector>

#include "report/data/report.h"
#include "report/json_reader/json_node.h"

namespace parity::report {

/// nullopt for null.
[[nodiscard]] std::optional<Place> read_place(const JsonNode& node);
[[nodiscard]] std::vector<BoundText> read_bounds(const JsonNode& node);
/// Each out of the whole document.
[[nodiscard]] std::optional<Attribution> read_attribution(const JsonNode& root);
[[nodiscard]] std::optional<TruthSummary> read_truth_summary(const JsonNode& root);
[[nodiscard]] std::optional<NoiseSummary> read_noise_summary(const JsonNode& root);
/// nullopt, too, in reports of versions that knew no name maps.
[[nodiscard]] std::optional<NameMapping> read_name_mapping(const JsonNode& root);

}  // namespace parity::report

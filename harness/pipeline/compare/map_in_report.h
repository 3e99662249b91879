// A name map before and behind the taps: the weights under the golden's names, and what a report
// says of it all. Matches no tap.
#pragma once

#include <string>
#include <vector>

#include "name_map/name_map.h"

#include "pipeline/compare/weights_check.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// check_weights() with the candidate's weights under the golden's names.
[[nodiscard]] std::vector<std::string> check_mapped_weights(
    compare::Reference<run::ModelDescription> reference,
    compare::Candidate<run::ModelDescription> candidate, const name_map::NameMap* map,
    WeightsRule rule);

/// What a report says of a map before the first tap: its rules, none of them used.
[[nodiscard]] report::NameMapping begin_mapping(const name_map::NameMap& map);

/// Says in the report's notes what a person should know of its map, if it has one.
void add_mapping_notes(report::Report& report);

}  // namespace parity::pipeline

// One tap, and one set of logits, as the report's JSON holds them. Private to the folder:
// nlohmann's type shows.
#pragma once

#include "report/data/report.h"
#include "report/json/json_number.h"

namespace parity::report {

[[nodiscard]] Json tap_json(const Tap& tap);
[[nodiscard]] Json left_out_json(const LeftOutTap& tap);
/// Full name and parts of it, as keys of `object`.
void add_id(Json& object, const run::TapId& id);
[[nodiscard]] Json classes_json(const compare::ClassCounts& counts);
[[nodiscard]] Json row_figure_json(const compare::RowFigure& figure);
[[nodiscard]] Json topk_overlap_json(const compare::LogitsComparison& facts);
/// null where there is none.
[[nodiscard]] Json logits_truth_json(const std::optional<LogitsTruth>& truth);
[[nodiscard]] Json logits_json(const Logits& logits);

}  // namespace parity::report

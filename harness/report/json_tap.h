// One tap, and one set of logits, as the report's JSON holds them. Private to the folder:
// nlohmann's type shows.
#pragma once

#include "report/json_number.h"
#include "report/report.h"

namespace parity::report {

[[nodiscard]] Json tap_json(const Tap& tap);
[[nodiscard]] Json row_figure_json(const compare::RowFigure& figure);
[[nodiscard]] Json logits_json(const Logits& logits);

}  // namespace parity::report

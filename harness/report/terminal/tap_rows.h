// One row of the table per tap: which columns there are and what stands in them.
// How wide they are is decided for all cases together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/data/report.h"
#include "report/words/columns.h"

namespace parity::report {

/// Columns that only some reports have.
enum class Column : std::uint8_t { absent, present };
struct ExtraColumns {
  Column introduced = Column::absent;  ///< error that a layer introduces itself
  Column truth = Column::absent;       ///< candidate's error against the truth over the reference's
};
[[nodiscard]] ExtraColumns extra_columns(const Report& report);

[[nodiscard]] std::vector<ColumnSpec> tap_columns(const ExtraColumns& extra);
/// Cells in the order of tap_columns(), from "ulp p50" to "nrmse"; "~" marks the upper edge of a
/// bin.
[[nodiscard]] std::vector<std::string> tap_figures(const compare::TensorComparison& facts);
/// Position of the histogram among them.
[[nodiscard]] std::size_t histogram_column(const ExtraColumns& extra);

enum class IsFirstDivergence : std::uint8_t { no, yes };
[[nodiscard]] Row tap_row(const Tap& tap, IsFirstDivergence first, const ExtraColumns& extra);

/// The tap's name; "(root)" for the model itself, whose path is empty.
[[nodiscard]] std::string tap_name(const run::TapId& id);

}  // namespace parity::report

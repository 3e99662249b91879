// One row of the table per tap: which columns there are and what stands in them.
#pragma once

#include <cstddef>
#include <vector>

#include "report/columns.h"
#include "report/report.h"

namespace parity::report {

/// Whether there is a column for the error that a layer introduces itself.
enum class IntroducedColumn : std::uint8_t { absent, present };
[[nodiscard]] IntroducedColumn introduced_column(const Report& report);

[[nodiscard]] std::vector<ColumnSpec> tap_columns(IntroducedColumn introduced);
/// Position of the histogram among them.
[[nodiscard]] std::size_t histogram_column(IntroducedColumn introduced);

enum class IsFirstDivergence : std::uint8_t { no, yes };
[[nodiscard]] Row tap_row(const Tap& tap, IsFirstDivergence first, IntroducedColumn introduced);

/// The tap's name; "(root)" for the model itself, whose path is empty.
[[nodiscard]] std::string tap_name(const run::TapId& id);

}  // namespace parity::report

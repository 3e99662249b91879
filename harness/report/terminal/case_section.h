// One case of a report in the table: its rows, what failed in it, and its logits.
// Columns are laid out here and filled in tap_rows.h.
#pragma once

#include <optional>
#include <vector>

#include "report/data/report.h"
#include "report/terminal/page.h"
#include "report/words/columns.h"

namespace parity::report {

/// The columns for all cases together, so that their tables line up.
[[nodiscard]] Layout layout_of(const Report& report, const TableOptions& options);

void add_case(Page& page, const Report& report, const Case& item, const Layout& layout,
              const TableOptions& options);

}  // namespace parity::report

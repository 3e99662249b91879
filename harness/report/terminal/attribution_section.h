// The part of the table that says which layers create the difference.
// Words and columns alone; the blame was found before.
#pragma once

#include "report/data/report.h"
#include "report/terminal/page.h"

namespace parity::report {

/// Nothing without a forced replay.
void add_attribution(Page& page, const Report& report);

}  // namespace parity::report

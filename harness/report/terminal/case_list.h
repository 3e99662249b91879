// All cases of a report in a few figures each: a case that fails is seen among many that pass.
// Knows no other section of the table.
#pragma once

#include "report/data/report.h"
#include "report/terminal/page.h"

namespace parity::report {

/// One line per case with its own verdict; nothing for a report of one case.
void add_case_list(Page& page, const Report& report);

}  // namespace parity::report

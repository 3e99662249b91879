// The parts of the dashboard's pages that stand in files of their own in report/dashboard/ and are
// embedded when the program is built.
#pragma once

#include "report/html/html_parts.h"

namespace parity::report {

[[nodiscard]] PageParts dashboard_parts();

}  // namespace parity::report

// The data of the HTML report's chart, histograms and table as JSON: short keys, what is as usual
// left out, figures to a few digits. For that page alone; docs/report.md has the JSON for others.
#pragma once

#include <string>

#include "report/data/report.h"
#include "report/html/html_names.h"

namespace parity::report {

/// To stand in a script element: "<" does not occur.
[[nodiscard]] std::string html_data(const Report& report, const PageNames& names);

}  // namespace parity::report

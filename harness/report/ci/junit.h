// The report as JUnit XML, for the test pages of CI systems (docs/formats.md).
// Judges nothing: a verdict that the report holds becomes a testcase.
#pragma once

#include <string>

#include "report/data/report.h"

namespace parity::report {

/// One XML document, UTF-8, well-formed whatever the names in it: a testsuite per case, a testcase
/// per tap. It has a failure or an error exactly where the gate failed.
[[nodiscard]] std::string to_junit(const Report& report);

}  // namespace parity::report

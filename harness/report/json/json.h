// The report as JSON, schema "parity-report/1" (docs/report.md).
// Judges nothing: verdicts stand in it as the report has them.
#pragma once

#include <string>

#include "report/data/report.h"

namespace parity::report {

/// One JSON document, UTF-8, with a final newline. Non-finite numbers are the strings "nan", "inf",
/// "-inf".
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace parity::report

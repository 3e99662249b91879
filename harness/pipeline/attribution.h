// From the forced replay's comparison to the report: what each tap introduces, and who is to blame.
#pragma once

#include "report/report.h"

namespace parity::pipeline {

/// Joins one case of the forced replay with the same case of the free-running one, tap by tap, and
/// hands on what the forced pass had to say.
void add_introduced(const report::Case& forced, report::Case& free_running);

/// Ranks the taps of all cases by what they introduce.
[[nodiscard]] report::Attribution attribution_of(const report::Report& report);

}  // namespace parity::pipeline

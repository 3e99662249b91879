// The report as workflow commands that GitHub turns into annotations of a run.
#pragma once

#include <string>

#include "report/report.h"

namespace parity::report {

/// At most ten lines "::error title=...::...", the verdict first, then the worst taps; notices
/// where the gate passed with warnings; "" where there is nothing to say.
[[nodiscard]] std::string to_annotations(const Report& report);

}  // namespace parity::report

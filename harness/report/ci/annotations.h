// The report as workflow commands that GitHub turns into annotations of a run.
// Text from a model cannot become a command: names are escaped as GitHub asks for.
#pragma once

#include <string>
#include <string_view>

#include "report/data/report.h"

namespace parity::report {

/// At most ten lines "::error title=...::...", the verdict first, then the worst taps; notices
/// where the gate passed with warnings; "" where there is nothing to say.
[[nodiscard]] std::string to_annotations(const Report& report);

/// Text for the log of such a run: a line that begins like a command, as a layer's name may, is
/// none. A word joiner, which does not show, is all that is added.
[[nodiscard]] std::string without_commands(std::string_view text);

}  // namespace parity::report

// Whether somebody who uses the model would notice the difference, in words: of the tokens that it
// would choose and of the distribution over them.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace parity::report {

/// Sentences, the answer first: over the logits of all cases, of a decode's steps all together.
[[nodiscard]] std::vector<std::string> user_effect(const Report& report);

}  // namespace parity::report

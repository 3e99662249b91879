// What one night tested and another did not. Private to the folder; looks at names and verdicts,
// never at figures.
#pragma once

#include "history/changes.h"

namespace parity::history {

/// Fills what came and what went between two judged nights: whole cases, then taps and logits of
/// cases that both have.
void compare_coverage(const Run& before, const Run& after, NightChanges& changes);

}  // namespace parity::history

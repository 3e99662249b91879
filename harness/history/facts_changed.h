// Differences between the environments of two nights. Private to the folder.
#pragma once

#include <vector>

#include "history/changes.h"

namespace parity::history {

/// What names stand for first, then numeric switches, then in the order of keys, the candidate's
/// before the reference's.
[[nodiscard]] std::vector<FactChange> facts_changed(const Run& before, const Run& after);

}  // namespace parity::history

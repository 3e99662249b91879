// Figures beyond their own noise, night by night. Private to the folder.
#pragma once

#include <cstddef>
#include <vector>

#include "history/changes.h"
#include "history/lines.h"
#include "history/windows.h"

namespace parity::history {

/// Of a judged `night` with its window, in the order of the lines. A place that fails the gate is
/// in the verdicts; here it has only what it introduces.
[[nodiscard]] std::vector<Drift> drifts_of(const Lines& lines, const Window& window,
                                           std::size_t night);

/// What moved, either way, between two judged nights in different environments and is none of the
/// night's `drifts`, which are in the order of the lines.
[[nodiscard]] std::vector<Move> moves_of(const Lines& lines, std::size_t before, std::size_t night,
                                         const std::vector<Drift>& drifts);

}  // namespace parity::history

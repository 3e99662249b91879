// What a series' nights changed, for a terminal: environment first, then verdicts, then figures.
// What is a change was decided in history/; here are its words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "history/changes.h"
#include "report/terminal/table.h"

namespace parity::report {

struct HistoryOptions {
  Color color = Color::off;
  int width = 100;       ///< columns to fit into
  std::size_t last = 1;  ///< newest nights shown of each series
};

[[nodiscard]] std::string history_text(const std::vector<history::Timeline>& timelines,
                                       const HistoryOptions& options);

/// Index of the first of the newest `last` nights.
[[nodiscard]] std::size_t first_shown(const history::Timeline& timeline, std::size_t last);

/// Whether one of the newest `last` nights of a series regressed: exit code 1.
[[nodiscard]] bool has_regressed(const std::vector<history::Timeline>& timelines, std::size_t last);

/// "7 judged, 1 infrastructure, 2 missing".
[[nodiscard]] std::string count_text(const history::Timeline& timeline);

/// "no run since 2026-10-12: 3 nights missing"; empty where the newest run is not late.
[[nodiscard]] std::string late_text(const history::Timeline& timeline);

/// "step", "slow rise", "step in a new environment".
[[nodiscard]] const char* drift_text(history::DriftKind kind);

}  // namespace parity::report

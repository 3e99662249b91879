// The data of the dashboard's pages as JSON. For these pages alone: docs/history.md has the JSON
// for others.
#pragma once

#include <string>
#include <vector>

#include "history/changes.h"

namespace parity::report {

/// A series and the file of its page.
struct DashboardSeries {
  const history::Timeline* timeline = nullptr;
  std::string name;  ///< clean
  std::string file;
};

/// To stand in a script element: "<" does not occur.
[[nodiscard]] std::string overview_data(const std::vector<DashboardSeries>& all);
[[nodiscard]] std::string series_data(const DashboardSeries& series);

}  // namespace parity::report

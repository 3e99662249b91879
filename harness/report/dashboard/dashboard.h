// The history as static web pages that need nothing else: an overview of all series and a page of
// trends for each.
#pragma once

#include <string>
#include <vector>

#include "history/changes.h"

namespace parity::report {

struct DashboardPage {
  std::string file;  ///< a name without folders
  std::string text;
};

/// The overview, index.html, is the last one, so that its links lead somewhere when it appears. The
/// pages depend on the nights alone.
[[nodiscard]] std::vector<DashboardPage> dashboard(const std::vector<history::Timeline>& timelines);

}  // namespace parity::report

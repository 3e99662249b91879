// One tap as the data of the HTML report holds it. Private to the folder: nlohmann's type shows.
// Keys are short, since a page holds hundreds of taps; their names are in the page's script.
#pragma once

#include <string_view>
#include <vector>

#include "report/data/report.h"
#include "report/json/json_number.h"

namespace parity::report {

/// What stands in a tap's list of figures, in this order.
[[nodiscard]] std::vector<std::string_view> html_figure_names();

/// As many digits as are shown.
[[nodiscard]] Json html_number(double value);

/// `f` figures, `q` which quantiles are bin edges (1 ulp, 2 relative), `h` histograms as first bin
/// and counts, `c` classes, `w` where, `p` patterns, `x` worst elements, `i` introduced, `t` truth,
/// `z` noise. Without a name, verdict and bounds, which are the page's business.
[[nodiscard]] Json html_tap(const Tap& tap);

}  // namespace parity::report

// The report as one self-contained web page: no other file, no network, names as harmless text.
// Shows what the report holds and computes no figure of its own.
#pragma once

#include <string>

#include "report/data/report.h"

namespace parity::report {

/// An HTML document, UTF-8. What matters most is in its text, so that it reads without JavaScript;
/// chart, histograms and the table of all taps are made from the data that it carries.
[[nodiscard]] std::string to_html(const Report& report);

}  // namespace parity::report

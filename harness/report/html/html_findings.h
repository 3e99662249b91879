// What the HTML report says first: the verdict, which layer to look at and why, whether a user of
// the model would notice, and what differs between the two sides. In words, for somebody who has
// never seen the tool.
#pragma once

#include <string>

#include "report/ci/markup.h"
#include "report/data/report.h"
#include "report/html/html_names.h"

namespace parity::report {

/// The verdict with its reasons, and one sentence that says where to look.
void add_headline(Markup& page, const Report& report, const PageNames& names);

/// The answers to a reader's questions, most useful first; numeric switches that differ come before
/// any layer.
void add_findings(Markup& page, const Report& report, const PageNames& names);

/// The tap at a place as code, linked to its figures where the page has them, and with several
/// cases the case; all of them where each goes wrong there.
void add_tap_link(Markup& page, const Report& report, const PageNames& names, const Place& place);

}  // namespace parity::report

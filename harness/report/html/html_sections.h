// The parts of the HTML report that read without JavaScript, below its findings.
// Everything that they show is text in the page, for readers of print and of mail too.
#pragma once

#include <string_view>
#include <vector>

#include "report/ci/markup.h"
#include "report/data/report.h"
#include "report/html/html_names.h"
#include "report/words/columns.h"

namespace parity::report {

/// Each adds a section, or nothing where there is nothing to show.
void add_environment_section(Markup& page, const Report& report);
void add_cases_section(Markup& page, const Report& report, const PageNames& names);
/// The ten worst taps: for a reader without JavaScript, whom the table of all is hidden from.
void add_worst_section(Markup& page, const Report& report, const PageNames& names);
void add_logits_section(Markup& page, const Report& report, const PageNames& names);
void add_attribution_section(Markup& page, const Report& report, const PageNames& names);
void add_truth_section(Markup& page, const Report& report);
void add_policy_section(Markup& page, const Report& report);
void add_run_section(Markup& page, const Report& report);

/// Left open, for what comes into it.
void begin_section(Markup& page, std::string_view id, std::string_view title);

/// A table that scrolls by itself where the window is narrow.
void begin_table(Markup& page, std::string_view title, const std::vector<ColumnSpec>& columns);
void end_table(Markup& page);

}  // namespace parity::report

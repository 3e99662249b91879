// Flags of every command that ends in a report: where it goes and how much of it is shown.
#pragma once

#include <string>

#include "cli/commands.h"
#include "report/report.h"

namespace CLI {
class App;
}

namespace parity::cli {

struct ReportFlags {
  std::string json;
  std::string show;
  int top = 3;
};

/// `show`: what is shown of the taps unless --show says otherwise.
void add_report_flags(CLI::App& command, ReportFlags& flags, const char* show);

/// Worst elements that a report keeps of each tap: what is shown, and enough for its JSON.
[[nodiscard]] int worst_kept(const ReportFlags& flags);

/// Prints and writes the report; returns its exit code.
[[nodiscard]] int show(const report::Report& report, const ReportFlags& flags,
                       const CommonFlags& common);

}  // namespace parity::cli

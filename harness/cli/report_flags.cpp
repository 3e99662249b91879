#include "cli/report_flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/terminal.h"
#include "report/json.h"
#include "report/table.h"

namespace parity::cli {
namespace {

report::Show show_of(const std::string& text) {
  if (text == "failing") return report::Show::failing;
  return text == "summary" ? report::Show::summary : report::Show::all;
}

}  // namespace

void add_report_flags(CLI::App& command, ReportFlags& flags, const char* show) {
  flags.show = show;
  command.add_option("--json", flags.json, "Write the report as JSON; - for standard output");
  command.add_option("--show", flags.show, "Taps in the table: all, failing or summary")
      ->check(CLI::IsMember({"all", "failing", "summary"}))
      ->capture_default_str();
  command.add_option("--top", flags.top, "Worst elements shown per failing tap")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
}

int worst_kept(const ReportFlags& flags) {
  constexpr int kWorstKept = 10;
  return std::max(kWorstKept, flags.top);
}

int show(const report::Report& report, const ReportFlags& flags, const CommonFlags& common) {
  // The table first: a report that cannot be written must not take the verdict with it.
  if (!common.quiet && flags.json != "-") {
    print(report::to_table(
        report, {show_of(flags.show), output_color(common.color()), output_width(), flags.top}));
  }
  if (!flags.json.empty()) write_file(flags.json, report::to_json(report));
  return report.exit_code;
}

}  // namespace parity::cli

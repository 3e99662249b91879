#include "cli/report_flags.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/results.h"
#include "cli/terminal.h"
#include "report/ci/annotations.h"
#include "report/ci/junit.h"
#include "report/ci/markdown.h"
#include "report/ci/openmetrics.h"
#include "report/html/html.h"
#include "report/json/json.h"
#include "report/terminal/table.h"

namespace parity::cli {
namespace {

report::Show show_of(const std::string& text) {
  if (text == "failing") return report::Show::failing;
  return text == "summary" ? report::Show::summary : report::Show::all;
}

std::string markdown_of(const report::Report& report) { return report::to_markdown(report); }

const std::vector<ReportFormat>& formats() {
  static const std::vector<ReportFormat> kFormats = {
      {"--json", &ReportFlags::json, "Write the report as JSON; - for standard output",
       report::to_json, kReportFile},
      {"--junit", &ReportFlags::junit,
       "Write it as JUnit XML, a testsuite per case; - for standard output", report::to_junit,
       kJunitFile},
      {"--markdown", &ReportFlags::markdown,
       "Write it as Markdown for a pull request or job summary; - for standard output", markdown_of,
       kMarkdownFile},
      {"--html", &ReportFlags::html,
       "Write it as one web page that needs nothing else; - for standard output", report::to_html,
       kHtmlFile},
      {"--openmetrics", &ReportFlags::openmetrics,
       "Write it as OpenMetrics text for Prometheus; - for standard output", report::to_openmetrics,
       kReportMetrics}};
  return kFormats;
}

}  // namespace

const std::vector<ReportFormat>& report_formats() { return formats(); }

void add_report_flags(CLI::App& command, ReportFlags& flags, const char* show) {
  for (const ReportFormat& format : formats())
    command.add_option(format.flag, flags.*format.path, format.help);
  add_table_flags(command, flags, show);
}

void add_table_flags(CLI::App& command, ReportFlags& flags, const char* show) {
  flags.show = show;
  command.add_option("--show", flags.show, "Taps in the table: all, failing or summary")
      ->check(CLI::IsMember({"all", "failing", "summary"}))
      ->capture_default_str();
  command.add_option("--top", flags.top, "Worst elements shown per failing tap")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
}

report::TableOptions table_options(const ReportFlags& flags, const CommonFlags& common) {
  return {show_of(flags.show), output_color(common.color()), output_width(), flags.top};
}

int worst_kept(const ReportFlags& flags) {
  constexpr int kWorstKept = 10;
  return std::max(kWorstKept, flags.top);
}

std::vector<FlaggedPath> report_files(const ReportFlags& flags) {
  std::vector<FlaggedPath> files;
  for (const ReportFormat& format : formats()) {
    if (!(flags.*format.path).empty()) files.push_back({format.flag, flags.*format.path});
  }
  return files;
}

void check_report_files(const ReportFlags& flags, const std::vector<FlaggedPath>& others) {
  check_outputs(report_files(flags), others);
  for (const ReportFormat& format : formats()) {
    if (!(flags.*format.path).empty())
      check_replaces({format.flag, flags.*format.path}, format.kind);
  }
}

int show(const report::Report& report, const ReportFlags& flags, const CommonFlags& common) {
  std::vector<Output> outputs;
  for (const ReportFormat& format : formats())
    outputs.push_back({flags.*format.path, [&format, &report] { return format.text(report); }});
  write_results(outputs, common, [&] {
    const std::string table = report::to_table(report, table_options(flags, common));
    return is_github_job() ? report::without_commands(table) + report::to_annotations(report)
                           : table;
  });
  return report.exit_code;
}

}  // namespace parity::cli

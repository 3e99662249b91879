// Flags of every command that ends in a report: where it goes and how much of it is shown. Paths
// are checked before the work and written after it; what stands in a format, report/ knows.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/output_paths.h"
#include "report/data/report.h"
#include "report/terminal/table.h"

namespace CLI {
class App;
}

namespace parity::cli {

/// Paths are empty where a format was not asked for; "-" is standard output.
struct ReportFlags {
  std::string json;
  std::string junit;
  std::string markdown;
  std::string html;
  std::string openmetrics;
  std::string show;
  int top = 3;
};

/// A format that a file can have.
struct ReportFormat {
  const char* flag;  ///< "--junit"
  std::string ReportFlags::*path;
  const char* help;
  std::string (*text)(const report::Report&);
  FileKind kind;  ///< of the files that it may replace
};
[[nodiscard]] const std::vector<ReportFormat>& report_formats();

/// `show`: what is shown of the taps unless --show says otherwise.
void add_report_flags(CLI::App& command, ReportFlags& flags, const char* show);

/// --show and --top alone.
void add_table_flags(CLI::App& command, ReportFlags& flags, const char* show);
[[nodiscard]] report::TableOptions table_options(const ReportFlags& flags,
                                                 const CommonFlags& common);

/// Worst elements that a report keeps of each tap: what is shown, and enough for its JSON.
[[nodiscard]] int worst_kept(const ReportFlags& flags);

/// The files that the flags name.
[[nodiscard]] std::vector<FlaggedPath> report_files(const ReportFlags& flags);

/// Throws Error(usage) when a report cannot be written where it should, would replace one of the
/// `others` (files that the command reads or writes), another report or a file of another kind, or
/// when more than one goes to standard output.
void check_report_files(const ReportFlags& flags, const std::vector<FlaggedPath>& others);

/// Writes and prints the report; returns its exit code. Every file that can be written is, also
/// where another one or standard output fails.
[[nodiscard]] int show(const report::Report& report, const ReportFlags& flags,
                       const CommonFlags& common);

}  // namespace parity::cli

// `parity export`

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/output_paths.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "pipeline/stored/stored_report.h"
#include "report/ci/annotations.h"

namespace parity::cli {
namespace {

constexpr const char* kTable = "table";

struct ExportFlags {
  std::string file;
  std::string format;
  std::string out = "-";
  ReportFlags table;
  // Which flags were typed.
  CLI::App* command = nullptr;
};

std::string name_of(const ReportFormat& format) { return std::string(format.flag).substr(2); }

/// nullptr for the table.
const ReportFormat* format_of(const std::string& name) {
  const std::vector<ReportFormat>& formats = report_formats();
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const ReportFormat& format) {
    return name_of(format) == name;
  });
  return found == formats.end() ? nullptr : &*found;
}

std::string table_text(const report::Report& report, const ExportFlags& flags,
                       const CommonFlags& common) {
  report::TableOptions options = table_options(flags.table, common);
  if (flags.out != "-") options.color = report::Color::off;
  std::string table = report::to_table(report, options);
  const bool in_job = flags.out == "-" && is_github_job();
  return in_job ? report::without_commands(table) : table;
}

void check_flags(const ExportFlags& flags, const ReportFormat* format) {
  for (const char* flag : {"--show", "--top"}) {
    if (format != nullptr && flags.command->count(flag) > 0) {
      throw Error(ErrorKind::usage, std::string(flag) + " belongs to the table, and --format " +
                                        flags.format + " has none; leave it out");
    }
  }
  check_outputs({{"--out", flags.out}}, {{"the report", flags.file}});
  check_replaces({"--out", flags.out}, format == nullptr ? kTableFile : format->kind);
}

int run_export(const ExportFlags& flags, const CommonFlags& common) {
  const ReportFormat* format = format_of(flags.format);
  check_flags(flags, format);
  const report::Report report = pipeline::read_stored_report(flags.file).report;
  write_file(flags.out,
             format == nullptr ? table_text(report, flags, common) : format->text(report));
  return 0;
}

}  // namespace

Action add_export_command(CLI::App& command) {
  const auto flags = std::make_shared<ExportFlags>();
  flags->command = &command;
  command.add_option("report", flags->file, "Report that --json wrote")->required();
  std::vector<std::string> names = {kTable};
  for (const ReportFormat& format : report_formats()) names.push_back(name_of(format));
  command.add_option("--format", flags->format, "What to write: the table, or a format of compare")
      ->required()
      ->check(CLI::IsMember(names));
  command.add_option("--out", flags->out, "File to write; - for standard output")
      ->capture_default_str();
  add_table_flags(command, flags->table, "all");
  command.footer(
      "Exports what was judged: the exit code is 0 also where the gate failed.\n"
      "Examples:\n"
      "  parity export report.json --format junit --out report.xml\n"
      "  parity export report.json --format table --show failing");
  return [flags](const CommonFlags& common) { return run_export(*flags, common); };
}

}  // namespace parity::cli

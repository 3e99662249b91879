// `parity history`: nights in, what they changed out. One subcommand each; their work is in
// pipeline/.
#include <array>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/flag_texts.h"
#include "cli/history_flags.h"
#include "cli/output_paths.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "pipeline/history/history.h"
#include "report/ci/history_openmetrics.h"
#include "report/dashboard/dashboard.h"
#include "report/json/history_json.h"
#include "report/terminal/history_text.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

struct AddFlags {
  HistoryFlags history;
  std::string report;
  std::string series = "main";
  std::string link;
  std::string at;
  bool no_report = false;
  std::optional<int> exit_code;
  std::string reason;
};

void check_add(const AddFlags& flags) {
  check_series_name(flags.series);
  if (flags.no_report != flags.report.empty()) {
    throw Error(ErrorKind::usage, flags.no_report
                                      ? "--no-report and a report exclude each other; give one"
                                      : "name a report that --json wrote, or --no-report for a "
                                        "night without one");
  }
  if (!flags.no_report && (flags.exit_code || !flags.reason.empty())) {
    throw Error(ErrorKind::usage,
                "--exit-code and --reason go with --no-report; a report has its own");
  }
  if (flags.no_report && flags.reason.empty())
    throw Error(ErrorKind::usage,
                "--no-report needs --reason TEXT: what kept the night from running");
}

int run_add(const AddFlags& flags, const CommonFlags& common) {
  check_add(flags);
  check_outputs({{"--db", flags.history.database}}, {{"the report", flags.report}});
  pipeline::NightRequest request;
  request.database = flags.history.database;
  request.series = flags.series;
  request.link = flags.link;
  request.time_s = time_of("--at", flags.at);
  const pipeline::AddedNight night =
      flags.no_report ? pipeline::add_no_report(request, flags.exit_code, flags.reason)
                      : pipeline::add_report(request, flags.report);
  if (common.quiet) return 0;
  const bool is_new = night.addition == history::Addition::added;
  print(fmt::format("{} {}: {}, {} UTC{}\n", is_new ? "added to" : "already in",
                    report::clean(flags.series), night.sentence,
                    pipeline::minute_text(night.time_s), is_new ? "" : ", nothing changed"));
  return 0;
}

struct ShowFlags {
  HistoryFlags history;
  int last = 1;
  std::string json;
};

std::vector<history::Timeline> timelines_of(const HistoryFlags& flags, std::size_t told) {
  check_series_name(flags.series);
  return pipeline::read_timelines(flags.database, flags.series, time_of("--now", flags.now), told);
}

int run_show(const ShowFlags& flags, const CommonFlags& common) {
  check_outputs({{"--json", flags.json}}, {{"--db", flags.history.database}});
  check_replaces({"--json", flags.json}, kHistoryFile);
  const auto last = static_cast<std::size_t>(flags.last);
  const auto timelines = timelines_of(flags.history, last);
  write_results({{flags.json, [&] { return report::history_json(timelines, last); }}}, common, [&] {
    return report::history_text(timelines, {output_color(common.color()), output_width(), last});
  });
  return report::has_regressed(timelines, last) ? 1 : 0;
}

struct DashboardFlags {
  HistoryFlags history;
  std::string out;
};

int run_dashboard(const DashboardFlags& flags, const CommonFlags& common) {
  const FlaggedPath out{"--out", flags.out};
  check_folder(out, {"--db", flags.history.database});
  const auto pages = report::dashboard(timelines_of(flags.history, history::kAllNights));
  std::vector<FlaggedPath> files;
  for (const report::DashboardPage& page : pages)
    files.push_back({"--out", flags.out + "/" + page.file});
  for (const FlaggedPath& file : files) check_replaces(file, kDashboardPage);
  make_folder(flags.out);
  for (std::size_t i = 0; i < pages.size(); ++i) write_file(files[i].path, pages[i].text);
  if (!common.quiet) {
    print(fmt::format("{} {}; open {}\n", pages.size(), pages.size() == 1 ? "page" : "pages",
                      report::clean(flags.out) + "/index.html"));
  }
  return 0;
}

struct ExportFlags {
  HistoryFlags history;
  std::string openmetrics;
};

int run_export(const ExportFlags& flags) {
  const FlaggedPath out{"--openmetrics", flags.openmetrics};
  check_outputs({out}, {{"--db", flags.history.database}});
  check_replaces(out, kHistoryMetrics);
  write_file(flags.openmetrics, report::history_openmetrics(timelines_of(flags.history, 1)));
  return 0;
}

struct PruneFlags {
  HistoryFlags history;
  std::optional<std::int64_t> keep_days;
  std::optional<std::int64_t> keep_runs;
  bool keep_monthly = false;
};

int run_prune(const PruneFlags& flags, const CommonFlags& common) {
  check_series_name(flags.history.series);
  if (!flags.keep_days && !flags.keep_runs)
    throw Error(ErrorKind::usage, "say what stays: --keep-days N, --keep-runs N or both");
  history::Retention retention;
  retention.keep_days = flags.keep_days;
  retention.keep_runs = flags.keep_runs;
  retention.series = flags.history.series;
  if (flags.keep_monthly) retention.thinning = history::Thinning::monthly;
  const history::Pruned pruned = history::prune(flags.history.database, retention);
  if (common.quiet) return 0;
  print(fmt::format("{} runs removed, {} kept; the file had {} bytes and has {}\n", pruned.removed,
                    pruned.kept, pruned.before_bytes, pruned.after_bytes));
  return 0;
}

CLI::App* add_child(CLI::App& command, const char* name, const char* description,
                    const char* footer) {
  CLI::App* child = command.add_subcommand(name, description);
  child->fallthrough();
  child->footer(footer);
  return child;
}

CLI::App* add_add(CLI::App& command, AddFlags& flags) {
  CLI::App* child = add_child(
      command, "add", "Add a night: its report, or why there is none",
      "Examples:\n"
      "  parity history add report.json --db history.sqlite --link reports/2026-10-30.html\n"
      "  parity history add --no-report --exit-code 3 --reason 'no GPU' --db history.sqlite");
  child->add_option("report", flags.report, "Report of the night, as compare --json wrote it");
  add_db_flag(*child, flags.history);
  child->add_option("--series", flags.series, "Series of like nights that it belongs to")
      ->capture_default_str();
  child->add_option("--link", flags.link,
                    "Where the report lies: a URL, or a path as seen from the dashboard's folder");
  child->add_option("--at", flags.at,
                    "When the night was, in UTC: 2026-10-30, 2026-10-30T02:00:00Z or @SECONDS "
                    "(default: when the report was written)");
  child->add_flag("--no-report", flags.no_report, "The night has no report");
  child
      ->add_option("--exit-code", flags.exit_code,
                   "With --no-report: of the command that failed; 2: no judgement, others: "
                   "infrastructure (default: nothing was started)")
      ->check(CLI::Range(0, 255));
  child->add_option("--reason", flags.reason, "With --no-report: why, in words");
  return child;
}

CLI::App* add_show(CLI::App& command, ShowFlags& flags) {
  CLI::App* child = add_child(
      command, "show", "What the newest night changed; exit code 1 where something regressed",
      "Examples:\n"
      "  parity history show --db history.sqlite                     # since the last run\n"
      "  parity history show --db history.sqlite --last 30 --json -  # of the last 30 runs");
  add_reading_flags(*child, flags.history);
  child->add_option("--last", flags.last, "Newest nights of each series to show and to judge")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  child->add_option("--json", flags.json, "Write the same as JSON; - for standard output");
  return child;
}

CLI::App* add_dashboard(CLI::App& command, DashboardFlags& flags) {
  CLI::App* child = add_child(command, "dashboard", "Write static pages with the trends",
                              "Example: parity history dashboard --db history.sqlite --out www");
  add_reading_flags(*child, flags.history);
  child->add_option("--out", flags.out, "Folder for index.html and a page per series")->required();
  return child;
}

CLI::App* add_export(CLI::App& command, ExportFlags& flags) {
  CLI::App* child =
      add_child(command, "export", "Write the newest night of each series for Prometheus",
                "Example: parity history export --db history.sqlite --openmetrics parity.prom");
  add_reading_flags(*child, flags.history);
  child
      ->add_option("--openmetrics", flags.openmetrics,
                   "File for the OpenMetrics text; - for standard output")
      ->required();
  return child;
}

CLI::App* add_prune(CLI::App& command, PruneFlags& flags) {
  CLI::App* child =
      add_child(command, "prune", "Take old nights out and give the space back",
                "Example: parity history prune --db history.sqlite --keep-days 400 --keep-monthly");
  add_db_flag(*child, flags.history);
  child->add_option("--series", flags.history.series, "Only this series (default: all)");
  constexpr std::int64_t kMost = 1'000'000;
  child
      ->add_option("--keep-days", flags.keep_days,
                   "Keep nights of so many days before each series' newest")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  child->add_option("--keep-runs", flags.keep_runs, "Keep so many of each series' newest runs")
      ->check(CLI::Range(std::int64_t{1}, kMost));
  child->add_flag("--keep-monthly", flags.keep_monthly,
                  "Of older nights keep the first passing one of each month and all that failed");
  return child;
}

/// Every subcommand with its flags.
struct Flags {
  AddFlags add;
  ShowFlags show;
  DashboardFlags dashboard;
  ExportFlags exported;
  PruneFlags prune;
};

}  // namespace

Action add_history_command(CLI::App& command) {
  const auto flags = std::make_shared<Flags>();
  command.require_subcommand(1);
  command.footer(
      "Examples:\n"
      "  parity history add report.json --db history.sqlite\n"
      "  parity history show --db history.sqlite");
  using Child = std::pair<CLI::App*, Action>;
  const std::array<Child, 5> children = {
      Child{add_add(command, flags->add),
            [flags](const CommonFlags& common) { return run_add(flags->add, common); }},
      Child{add_show(command, flags->show),
            [flags](const CommonFlags& common) { return run_show(flags->show, common); }},
      Child{add_dashboard(command, flags->dashboard),
            [flags](const CommonFlags& common) { return run_dashboard(flags->dashboard, common); }},
      Child{add_export(command, flags->exported),
            [flags](const CommonFlags&) { return run_export(flags->exported); }},
      Child{add_prune(command, flags->prune),
            [flags](const CommonFlags& common) { return run_prune(flags->prune, common); }}};
  return [children](const CommonFlags& common) {
    for (const Child& child : children) {
      if (!child.first->parsed()) continue;
      check_nothing_empty(*child.first);
      return child.second(common);
    }
    return exit_code(ErrorKind::usage);
  };
}

}  // namespace parity::cli

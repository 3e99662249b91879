#include "cli/app.h"

#include <functional>
#include <new>
#include <sstream>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/flag_texts.h"
#include "cli/progress_bar.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "error/error.h"
#include "report/words/text.h"

namespace parity::cli {
namespace {

const int kNoJudgement = exit_code(ErrorKind::usage);
const int kInfrastructure = exit_code(ErrorKind::resource);

struct Command {
  CLI::App* parser;
  Action action;
};

/// "record, compare or inspect".
std::string names_of(const std::vector<Command>& commands) {
  std::string names;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const bool is_last = i + 1 == commands.size();
    names += (i == 0 ? "" : is_last ? " or " : ", ") + commands[i].parser->get_name();
  }
  return names;
}

void add_common_flags(CLI::App& app, CommonFlags& flags) {
  app.add_flag("-q,--quiet", flags.quiet, "Print nothing but errors; the exit code tells");
  app.add_flag("--no-color", flags.no_color, "No colours (as does the variable NO_COLOR)");
  app.add_flag("--verbose", flags.verbose, "With an error, also print what the library below said");
}

/// Exit code of `work`, or of what it threw, which is told.
int run_guarded(const std::function<int()>& work, const CommonFlags& flags) {
  try {
    return work();
  } catch (const Error& error) {
    // Names of files, layers and the like come from outside.
    warn("parity: " + report::clean(error.what()));
    if (flags.verbose && !error.detail().empty()) warn(error.detail());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    warn(
        "parity: out of host memory; capture fewer layers (--layers, --skip) or a part of each "
        "(--store rows:N)");
    return kInfrastructure;
  } catch (const std::exception& error) {
    warn("parity: unexpected failure: " + report::clean(error.what()));
    return kInfrastructure;
  } catch (...) {
    warn("parity: unexpected failure of a library that does not say what it is");
    return kInfrastructure;
  }
}

/// CLI11's own exit codes differ per error; ours say only whether help was asked for.
int report_parse_result(const CLI::App& app, const CLI::ParseError& error,
                        const CommonFlags& flags) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream text;
    const int code = app.exit(error, text, text);
    const auto show = [&] {
      print(text.str());
      return code;
    };
    return run_guarded(show, flags);
  }
  warn("parity: " + report::clean(error.what()) + "; see parity --help, or parity COMMAND --help");
  return kNoJudgement;
}

}  // namespace

std::unique_ptr<pipeline::Progress> CommonFlags::progress() const {
  if (quiet || !stderr_is_terminal()) return std::make_unique<pipeline::NoProgress>();
  return std::make_unique<ProgressBar>();
}

int run_app(int argc, char** argv) {
  secure_standard_streams();
  CLI::App app(
      "Numerical parity between GPU backends: record a model's layers on one, compare on another.");
  app.name("parity");
  app.set_version_flag("--version", std::string("parity ") + PARITY_VERSION);
  app.require_subcommand(0, 1);  // none is refused below, after an unknown word was named
  app.footer(
      "Examples:\n"
      "  parity record  --model model.pt --inputs prompts.pt --out golden.h5   # on the reference "
      "host\n"
      "  parity compare golden.h5 --model model.pt                             # on the host under "
      "test\n"
      "Exit codes: 0 gate passed, 1 gate failed, 2 no judgement possible, 3 infrastructure.");
  CommonFlags flags;
  flags.command = quoted_command(argc, argv);

  std::vector<Command> commands;
  const auto add = [&](const char* name, const char* description, Action (*add_flags)(CLI::App&)) {
    CLI::App* parser = app.add_subcommand(name, description);
    add_common_flags(*parser, flags);
    commands.push_back({parser, add_flags(*parser)});
  };
  add("record", "Run a model and store its layers and outputs as a golden", add_record_command);
  add("merge", "Join the shards that several processes recorded into one golden",
      add_merge_command);
  add("compare", "Compare a golden with a run on this host, or with another golden",
      add_compare_command);
  add("inspect", "Show what a golden holds", add_inspect_command);
  add("selfcheck", "Hold a model on this device against itself: again, without taps, row by row",
      add_selfcheck_command);
  add("history", "Keep nightly reports: what changed, trends, export", add_history_command);
  add("calibrate", "Make a policy from how far runs that are all right are apart",
      add_calibrate_command);
  add("selftest", "Seed faults in a golden, in memory, and see that the gate turns red for each",
      add_selftest_command);
  add("policy", "Show the bounds that comparisons are judged by", add_policy_command);
  add("judge", "Judge a stored report by another policy, without running anything again",
      add_judge_command);
  add("export", "Show a stored report in another format", add_export_command);
  add("bless", "Show what a refreshed golden changes, grouped for a review", add_bless_command);
  add("doctor", "Find what keeps this machine from running models, and say the fix",
      add_doctor_command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_result(app, error, flags);
  }
  for (const Command& command : commands) {
    if (!command.parser->parsed()) continue;
    const auto run = [&] {
      check_nothing_empty(*command.parser);
      return command.action(flags);
    };
    return run_guarded(run, flags);
  }
  warn("parity: no command given: " + names_of(commands) + "; see parity --help");
  return kNoJudgement;
}

}  // namespace parity::cli

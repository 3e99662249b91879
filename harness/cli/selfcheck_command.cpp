// `parity selfcheck`
#include <CLI/CLI.hpp>

#include "cli/case_flags.h"
#include "cli/commands.h"
#include "cli/output_paths.h"
#include "cli/policy_flag.h"
#include "cli/report_flags.h"
#include "error/error.h"
#include "pipeline/compare/selfcheck.h"

namespace parity::cli {
namespace {

constexpr int kMostRows = 4096;

struct SelfcheckFlags {
  RunFlags run;
  CaseFlags cases;
  int repeat = 2;
  int rows = 4;
  std::string policy;
  bool strict = false;
  ReportFlags report;
};

pipeline::SelfcheckRequest request_of(const SelfcheckFlags& flags, const CommonFlags& common) {
  if (flags.rows == 1) {
    throw Error(ErrorKind::usage,
                "--rows 1 makes no batch: give 2 or more, or 0 to run no row alone");
  }
  pipeline::SelfcheckRequest request;
  request.source = source_of(flags.run);
  request.settings = settings_of(flags.run, flags.cases);
  request.cases = cases_of(flags.cases);
  request.taps = tap_choice_of(flags.cases);
  request.repeats = flags.repeat;
  request.rows = flags.rows;
  request.policy = policy_of(flags.policy);
  request.strictness = flags.strict ? run::Strictness::strict : run::Strictness::normal;
  request.worst_count = worst_kept(flags.report);
  request.command = common.command;
  return request;
}

int run_selfcheck(const SelfcheckFlags& flags, const CommonFlags& common) {
  const pipeline::SelfcheckRequest request = request_of(flags, common);
  std::vector<FlaggedPath> inputs = files_read(flags.run, request.cases);
  inputs.push_back({"--policy", flags.policy});
  check_report_files(flags.report, inputs);
  return show(pipeline::selfcheck(request, *common.progress()), flags.report, common);
}

}  // namespace

Action add_selfcheck_command(CLI::App& command) {
  const auto flags = std::make_shared<SelfcheckFlags>();
  command
      .add_option("--model", flags->run.model,
                  "TorchScript, exported program (.pt2), state_dict or safetensors file")
      ->required();
  add_case_flags(command, flags->cases);
  add_run_flags(command, flags->run);
  command.add_option("--repeat", flags->repeat, "Runs after the first one of the same inputs")
      ->check(CLI::Range(1, kMostRepeats))
      ->capture_default_str();
  command
      .add_option(
          "--rows", flags->rows,
          "Rows of the batch that is made of inputs with one row, to run rows alone; 0 runs "
          "no row alone")
      ->check(CLI::Range(0, kMostRows))
      ->capture_default_str();
  add_policy_flag(command, flags->policy,
                  "TOML file with the bounds to judge by (default: the built-in policy)");
  command.add_flag("--strict", flags->strict, "A suspect tap fails: bits must repeat");
  add_report_flags(command, flags->report, "summary");
  command.footer(
      "Examples:\n"
      "  parity selfcheck --model model.pt --inputs chat=prompts.pt\n"
      "  parity selfcheck --model model.pt --inputs tokens:8x128 --dtype bfloat16 --strict");
  return [flags](const CommonFlags& common) { return run_selfcheck(*flags, common); };
}

}  // namespace parity::cli

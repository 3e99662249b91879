// `parity judge`

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/policy_flag.h"
#include "cli/report_flags.h"
#include "pipeline/judge/judgement.h"
#include "pipeline/judge/policy_check.h"
#include "pipeline/stored/stored_report.h"

namespace parity::cli {
namespace {

struct JudgeFlags {
  std::string file;
  std::string policy;
  bool strict = false;
  ReportFlags report;
};

int run_judge(const JudgeFlags& flags, const CommonFlags& common) {
  check_report_files(flags.report, {{"the report", flags.file}, {"--policy", flags.policy}});
  const gate::RuleBook policy = policy_of(flags.policy);
  report::Report report = pipeline::read_stored_report(flags.file).report;
  pipeline::check_policy(policy, report);
  pipeline::judge_report(report, policy,
                         flags.strict ? run::Strictness::strict : run::Strictness::normal);
  return show(report, flags.report, common);
}

}  // namespace

Action add_judge_command(CLI::App& command) {
  const auto flags = std::make_shared<JudgeFlags>();
  command.add_option("report", flags->file, "Report that --json wrote")->required();
  add_policy_flag(command, flags->policy,
                  "TOML file with the bounds to judge by (default: the built-in policy)");
  command.add_flag("--strict", flags->strict, "A suspect tap fails");
  add_report_flags(command, flags->report, "all");
  command.footer(
      "The verdicts, the exit code and every format are those of a comparison under that policy.\n"
      "Examples:\n"
      "  parity judge report.json --policy nightly.toml\n"
      "  parity judge report.json --policy nightly.toml --strict --json judged.json");
  return [flags](const CommonFlags& common) { return run_judge(*flags, common); };
}

}  // namespace parity::cli

// `parity selftest`
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/flag_texts.h"
#include "cli/output_paths.h"
#include "cli/policy_flag.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "pipeline/selftest/selftest.h"
#include "report/ci/annotations.h"
#include "report/data/selftest.h"

namespace parity::cli {
namespace {

struct SelftestFlags {
  std::string golden;
  std::vector<std::string> cases;
  std::vector<std::string> layers;
  std::vector<std::string> skip;
  std::string truth;
  std::string policy;
  bool strict = false;
  bool attribute = false;
  std::string json;
};

pipeline::SelftestRequest request_of(const SelftestFlags& flags, const CommonFlags& common) {
  pipeline::SelftestRequest request;
  request.golden = flags.golden;
  request.cases = flags.cases;
  request.taps = {flags.layers, flags.skip};
  if (!flags.truth.empty()) request.truth = flags.truth;
  if (flags.attribute) request.attribution = pipeline::AttributionPass::forced;
  request.policy = policy_of(flags.policy);
  request.strictness = flags.strict ? run::Strictness::strict : run::Strictness::normal;
  request.command = common.command;
  return request;
}

int run_selftest(const SelftestFlags& flags, const CommonFlags& common) {
  check_globs("--layers", flags.layers);
  check_globs("--skip", flags.skip);
  check_outputs(
      {{"--json", flags.json}},
      {{"the golden", flags.golden}, {"--truth", flags.truth}, {"--policy", flags.policy}});
  check_replaces({"--json", flags.json}, kSelftestFile);
  const report::Selftest found = pipeline::selftest(request_of(flags, common), *common.progress());
  write_results({{flags.json, [&] { return report::to_json(found); }}}, common, [&] {
    const std::string table = report::to_table(
        found, {report::Show::all, output_color(common.color()), output_width(), 0});
    return is_github_job() ? report::without_commands(table) : table;
  });
  return found.exit_code;
}

}  // namespace

Action add_selftest_command(CLI::App& command) {
  const auto flags = std::make_shared<SelftestFlags>();
  command.add_option("golden", flags->golden, "Golden whose values are spoilt, in memory alone")
      ->required();
  add_policy_flag(
      command, flags->policy,
      "TOML file with the bounds that the gate judges by (default: the built-in policy)");
  command.add_flag("--strict", flags->strict, "The gate is run with --strict");
  command.add_option("--truth", flags->truth, "The gate is run with --truth and this golden");
  command.add_flag("--attribute", flags->attribute,
                   "The gate is run with --attribute: bounds on what a layer introduces count");
  command.add_option("--case", flags->cases, "Only the cases of these names");
  command.add_option("--layers", flags->layers,
                     "Only taps whose layer path or name matches a glob");
  command.add_option("--skip", flags->skip, "No taps whose layer path or name matches a glob");
  command.add_option("--json", flags->json, "Write what was found as JSON; - for standard output");
  command.footer(
      "Examples:\n"
      "  parity selftest golden.h5\n"
      "  parity selftest golden.h5 --policy nightly.toml --json selftest.json\n"
      "Exit codes: 0 every gross fault turned the gate red, 1 one did not or the recording itself "
      "did,\n2 nothing could be tried, 3 infrastructure.");
  return [flags](const CommonFlags& common) { return run_selftest(*flags, common); };
}

}  // namespace parity::cli

// `parity bless`

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/file_kinds.h"
#include "cli/output_paths.h"
#include "cli/policy_flag.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "pipeline/bless/bless.h"
#include "report/data/blessing.h"

namespace parity::cli {
namespace {

struct BlessFlags {
  std::string before;
  std::string after;
  std::string policy;
  std::string json;
  std::string markdown;
  bool strict = false;
};

void check_files(const BlessFlags& flags) {
  const std::vector<FlaggedPath> inputs = {{"the old golden", flags.before},
                                           {"the new golden", flags.after},
                                           {"--policy", flags.policy}};
  const FlaggedPath json = {"--json", flags.json};
  const FlaggedPath markdown = {"--markdown", flags.markdown};
  check_outputs({json, markdown}, inputs);
  check_replaces(json, kBlessingFile);
  check_replaces(markdown, kReviewFile);
}

int run_bless(const BlessFlags& flags, const CommonFlags& common) {
  check_files(flags);
  pipeline::BlessRequest request;
  request.before = flags.before;
  request.after = flags.after;
  request.policy = policy_of(flags.policy);
  request.strictness = flags.strict ? run::Strictness::strict : run::Strictness::normal;
  request.command = common.command;
  const report::Blessing blessing = pipeline::bless(request, *common.progress());
  write_results({{flags.json, [&] { return report::to_json(blessing); }},
                 {flags.markdown, [&] { return report::to_markdown(blessing); }}},
                common, [&] {
                  return report::to_text(blessing, {report::Show::all, output_color(common.color()),
                                                    output_width(), 0});
                });
  return blessing.exit_code;
}

}  // namespace

Action add_bless_command(CLI::App& command) {
  const auto flags = std::make_shared<BlessFlags>();
  command.add_option("old", flags->before, "Golden that is to be replaced")->required();
  command.add_option("new", flags->after, "Golden that is to replace it")->required();
  add_policy_flag(command, flags->policy,
                  "TOML file with the bounds to judge by (default: the built-in policy)");
  command.add_flag("--strict", flags->strict, "A suspect tap counts as a change");
  command.add_option("--json", flags->json, "Write it as JSON; - for standard output");
  command.add_option("--markdown", flags->markdown,
                     "Write it as Markdown for a pull request; - for standard output");
  command.footer(
      "Neither golden is written. Exit code 0: nothing beyond the policy changes; 1: something "
      "does.\n"
      "Examples:\n"
      "  parity bless golden/old.h5 new.h5\n"
      "  parity bless golden/old.h5 new.h5 --policy nightly.toml --markdown review.md");
  return [flags](const CommonFlags& common) { return run_bless(*flags, common); };
}

}  // namespace parity::cli

// `parity policy`

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/flag_texts.h"
#include "cli/policy_flag.h"
#include "cli/terminal.h"
#include "gate/policy_text.h"

namespace parity::cli {

Action add_policy_command(CLI::App& command) {
  const auto file = std::make_shared<std::string>();
  command.require_subcommand(1);
  CLI::App* show = command.add_subcommand(
      "show", "Print every rule and the origin of every number, as a policy file");
  show->fallthrough();
  add_policy_flag(*show, *file, "Policy to print (default: the built-in one)");
  for (CLI::App* app : {&command, show}) {
    app->footer(
        "Examples:\n"
        "  parity policy show > policy.toml               # the built-in policy, to start from\n"
        "  parity policy show --policy nightly.toml       # with the rules behind its own");
  }
  return [file, show](const CommonFlags& common) {
    check_nothing_empty(*show);
    const std::string text = gate::to_toml(policy_of(*file));
    if (!common.quiet) print(text);
    return 0;
  };
}

}  // namespace parity::cli

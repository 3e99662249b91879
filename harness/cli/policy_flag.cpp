#include "cli/policy_flag.h"

#include <CLI/CLI.hpp>

#include "gate/policy_file.h"

namespace parity::cli {

void add_policy_flag(CLI::App& command, std::string& file, const char* description) {
  command.add_option("--policy", file, description);
}

gate::RuleBook policy_of(const std::string& file) {
  return file.empty() ? gate::default_rules() : gate::read_policy(file);
}

}  // namespace parity::cli

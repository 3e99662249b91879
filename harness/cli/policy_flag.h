// --policy, which several commands have: the file that is judged by, read and validated before any
// work. Judges nothing.
#pragma once

#include <string>

#include "gate/rule_book.h"

namespace CLI {
class App;
}

namespace parity::cli {

void add_policy_flag(CLI::App& command, std::string& file, const char* description);

/// The policy in `file`, the built-in one where none was given. Throws Error(usage) naming file and
/// line.
[[nodiscard]] gate::RuleBook policy_of(const std::string& file);

}  // namespace parity::cli

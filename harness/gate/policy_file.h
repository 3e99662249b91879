// Policy files: TOML in, a checked book of rules out. The form is in docs/policy.md. Knows nothing
// of taps and of what is done with the rules.
#pragma once

#include <filesystem>
#include <string>

#include "gate/rule_book.h"

namespace parity::gate {

/// The policy in the file, with the rules of its base behind its own. Throws Error(usage), naming
/// file and line, on anything that is not exactly such a policy.
[[nodiscard]] RuleBook read_policy(const std::filesystem::path& file);

/// The same from text; `file` is what messages call it.
[[nodiscard]] RuleBook parse_policy(const std::string& text, const std::string& file);

}  // namespace parity::gate

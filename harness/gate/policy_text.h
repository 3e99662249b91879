// A policy as the text of a policy file, with the origin of each number. Shows what it is given and
// knows no rule itself.
#pragma once

#include <string>

#include "gate/rule_book.h"

namespace parity::gate {

/// TOML that parse_policy reads back as a policy with the same name, rules and numbers, bit by bit;
/// it has no base, for every rule is in it.
[[nodiscard]] std::string to_toml(const RuleBook& book);

}  // namespace parity::gate

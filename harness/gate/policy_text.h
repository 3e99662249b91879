// A policy as the text of a policy file, with the origin of each number. Shows what it is given and
// knows no rule itself.
#pragma once

#include <string>
#include <vector>

#include "gate/rule_book.h"

namespace parity::gate {

/// TOML that parse_policy reads back as a policy with the same name, rules and numbers, bit by bit;
/// it has no base, for every rule is in it.
[[nodiscard]] std::string to_toml(const RuleBook& book);

/// Lines that stand beside a rule for a person to read, without their '#'.
struct RuleRemarks {
  std::vector<std::string> rule;
  std::vector<std::vector<std::string>> bounds;  ///< by bound of the rule
};

struct PolicyRemarks {
  std::vector<std::string> head;
  std::vector<RuleRemarks> taps;    ///< by rule of the book
  std::vector<RuleRemarks> logits;  ///< by rule of the book
};

/// TOML with remarks that parse_policy reads back as the rules of the book, bit by bit, with those
/// of the built-in policy behind them.
[[nodiscard]] std::string to_toml(const RuleBook& book, const PolicyRemarks& remarks);

}  // namespace parity::gate

// One digest for all that a policy holds taps and logits to, by which two policies of one name are
// told apart. Ignores what changes no verdict: names, reasons, origins, lines.
#pragma once

#include "gate/rule_book.h"
#include "tensor/digest.h"

namespace parity::gate {

/// Equal for policies with the same rules, in the same order, with the same numbers bit by bit.
[[nodiscard]] tensor::Digest digest_of_rules(const RuleBook& book);

}  // namespace parity::gate

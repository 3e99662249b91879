// A policy against the golden that it is to judge, before anything runs.
#pragma once

#include <optional>

#include "gate/rule_book.h"
#include "golden_store/golden_reader.h"
#include "tensor/dtype.h"

namespace parity::pipeline {

/// Throws Error(usage) on a rule that has nothing to judge in the golden, and on a limit that a tap
/// which it judges cannot keep to; see gate::check_against. `asked`: the dtype of the candidate,
/// where another than the golden's was typed.
void check_policy(const gate::RuleBook& policy, const golden_store::GoldenReader& golden,
                  const std::optional<tensor::DType>& asked);

}  // namespace parity::pipeline

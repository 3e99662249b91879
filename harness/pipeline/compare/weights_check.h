// Are both sides running the same weights? Otherwise a comparison says nothing about the backend.
// Goes by the digests that were recorded; reads no weight.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/sides.h"
#include "run/model_description.h"

namespace parity::pipeline {

enum class WeightsRule : std::uint8_t { same, any };

/// Whether names on one side alone are a fault between models of the same kind: not where a name
/// map says that both are called otherwise.
enum class WeightNames : std::uint8_t { own, mapped };

/// Throws Error(incompatible) naming the first weights that differ, unless `rule` is any.
/// Models of the same kind must have the same set of weights. Between kinds (a TorchScript file
/// against a state_dict) every shared name must agree and names on one side alone are returned as
/// notes, since buffers and tied weights are listed differently.
[[nodiscard]] std::vector<std::string> check_weights(
    compare::Reference<run::ModelDescription> reference,
    compare::Candidate<run::ModelDescription> candidate, WeightsRule rule,
    WeightNames names = WeightNames::own);

/// "its own blocks.1.attn.weight is not the golden's": of the weights of the layer at `path` that
/// changed; empty where none did.
[[nodiscard]] std::string own_weights_text(compare::Reference<run::ModelDescription> reference,
                                           compare::Candidate<run::ModelDescription> candidate,
                                           const std::string& path);

}  // namespace parity::pipeline

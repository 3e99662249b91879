// Finds the state_dict in what a torch.save file holds and turns its tensors into stored ones.
// Knows no architecture: which names a model needs is its own business.
#pragma once

#include <string>

#include "model/weights/pickle_value.h"
#include "model/weights/state_dict.h"

namespace parity::model {

/// `key`: dotted path; "" searches, "." is the top level itself. Sets key, tensors and notes of the
/// result. Throws Error(model): no state_dict there, several (each named), or a weight whose values
/// cannot be used.
[[nodiscard]] StateDict find_state_dict(const PickleObject& root, const std::string& key,
                                        const std::string& label);

}  // namespace parity::model

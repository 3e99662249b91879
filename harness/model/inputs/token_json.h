// Token ids written as JSON: the form that tokenizers' outputs are easily saved in.
// Knows no vocabulary: whether an id exists is the model's business.
#pragma once

#include <string>
#include <string_view>

#include "tensor/value.h"

namespace parity::model {

/// A list of integers is one sequence, int64 [1, tokens]; a list of equally long lists is int64
/// [batch, tokens]; an object is a dict of such and of scalars (keyword inputs). Throws
/// Error(usage) when lengths differ, a number is no integer, or a list is empty.
[[nodiscard]] tensor::Value read_token_json(std::string_view text, const std::string& label);

}  // namespace parity::model

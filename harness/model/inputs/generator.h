// Inputs that are written out instead of stored: random tensors, constants and scalars (grammar in
// model/inputs.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/value.h"

namespace parity::model {

/// True when `text` begins as one of the generators or scalars does.
[[nodiscard]] bool is_generator(std::string_view text);

/// "tokens, randn, ..." for messages.
[[nodiscard]] std::string_view generator_names();

/// Makes the value. `stream` is the argument's position, so that equal generators give different
/// numbers. Throws Error(usage) in one sentence for a malformed generator, Error(resource) for one
/// that asks too much.
[[nodiscard]] tensor::Value generate(std::string_view text, std::uint64_t seed,
                                     std::uint64_t stream, std::int64_t vocabulary);

}  // namespace parity::model

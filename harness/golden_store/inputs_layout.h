// A case's inputs, a tree of tensors and scalars, as columns in preorder plus one dataset per
// tensor or text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <H5Cpp.h>

#include "run/compression.h"
#include "tensor/value.h"

namespace parity::golden_store {

/// Throws Malformed for a tree that is nested more than 100 levels deep.
void write_inputs(const H5::Group& group, const tensor::Value& inputs,
                  const std::optional<run::Compression>& compression);

/// Reads what the above wrote and throws Malformed for everything that no writer of ours would have
/// written.
[[nodiscard]] tensor::Value read_inputs(const H5::Group& group, const std::string& where,
                                        std::uint64_t file_bytes);

}  // namespace parity::golden_store

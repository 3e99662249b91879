// Model inputs from files and seeded generators, as plain host values.
#pragma once

#include <cstdint>
#include <string>

#include "tensor/value.h"

namespace parity::model {

/// Reads `.pt` (tensor, tuple, list, dict of tensors and scalars, or a TorchScript-pickled value), `.npy`, `.npz`,
/// `.json` (token ids) or makes numbers from a generator such as `tokens:4x128` or `randn:1x3x224x224`.
/// Generators depend on `seed` alone and give the same bits on every machine; `tokens:` needs the vocabulary size,
/// taken from `tokens:4x128:VOCAB` or else from `vocabulary` (0: unknown, an error for that form).
/// Throws Error(usage) for a missing file, an unknown form or a malformed generator.
[[nodiscard]] tensor::Value load_inputs(const std::string& spec, std::uint64_t seed, std::int64_t vocabulary);

}  // namespace parity::model

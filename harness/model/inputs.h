// Model inputs from files and seeded generators, as plain host values.
// Knows no model: whether an input fits is found by whoever runs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tensor/value.h"

namespace parity::model {

/// One argument, or several joined by `;`, which give a tuple of positional arguments:
///
///     inputs    := argument (';' argument)*
///     argument  := FILE | generator | scalar
///     generator := 'randn:' SHAPE [':' FLOAT]         standard normal
///                | 'rand:' SHAPE [':' FLOAT]          uniform in [0, 1)
///                | 'randint:' SHAPE ':' LOW ':' HIGH  int64, uniform in [LOW, HIGH)
///                | 'tokens:' SHAPE [':' VOCABULARY]   int64, uniform in [0, VOCABULARY)
///                | 'zeros:' SHAPE [':' DTYPE]
///                | 'ones:' SHAPE [':' DTYPE]
///     scalar    := 'int:' N | 'float:' X | 'bool:true' | 'bool:false' | 'str:' TEXT | 'none'
///     SHAPE     := SIZE ('x' SIZE)* | 'scalar'
///     FLOAT     := 'float32' | 'float64'              float32 when left out
///     DTYPE     := FLOAT | 'int64' | 'int32' | 'uint8' | 'bool'
///
/// FILE is known by its content: torch.save of a tensor, tuple, list or dict of tensors and scalars
/// (zip or legacy, or torch::pickle_save), `.npy`, `.npz` (keyword inputs by array name; a tuple
/// when the names are arr_0, arr_1, ...) or JSON token ids ([tokens] is a batch of one,
/// [batch][tokens], or an object of such by keyword).
///
/// A generator's numbers depend on `seed` and the argument's position alone and have the same bits
/// on every machine. `vocabulary` serves `tokens:` where the text names none; 0 is unknown and an
/// error then.
///
/// Throws Error(usage) in one sentence for a missing file, an unknown form, a malformed generator,
/// or a file of weights or an empty key where arguments by keyword are meant.
[[nodiscard]] tensor::Value load_inputs(const std::string& spec, std::uint64_t seed,
                                        std::int64_t vocabulary);

/// The inputs that a model file brings along, as an exported program does. Throws Error(usage) for
/// a file that brings none, or none that can be read.
[[nodiscard]] tensor::Value sample_inputs(const std::filesystem::path& model);

}  // namespace parity::model

// The index of weights that are split over several files: `model.safetensors.index.json` and
// `pytorch_model.bin.index.json`, both with a `weight_map` from tensor name to file name.
#pragma once

#include <filesystem>
#include <span>

#include "model/weights/state_dict.h"

namespace parity::model {

/// True when the bytes are a JSON object with a `weight_map`.
[[nodiscard]] bool is_sharded_index(std::span<const std::byte> bytes);

/// Reads every shard beside `file` and takes the tensors that the index assigns to it.
/// Throws Error(model) naming the shard that is missing, lies outside the index's folder or lacks a
/// tensor.
[[nodiscard]] StateDict read_sharded_index(const std::filesystem::path& file);

}  // namespace parity::model

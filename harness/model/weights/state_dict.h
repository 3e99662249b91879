// Weights by name from any file that holds them: zip and legacy torch pickles, safetensors and its
// sharded index. Never runs code from the file; storages are mapped, not copied. Free of torch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "run/model_description.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::model {

/// A possibly strided view into a mapped storage.
struct StoredTensor {
  std::string name;
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  std::vector<std::int64_t> strides;   ///< elements, as many as dimensions
  std::span<const std::byte> storage;  ///< from this tensor's first element to the storage's end
  std::shared_ptr<const void> owner;   ///< keeps the mapping alive
};

struct StateDict {
  std::string format;  ///< "zip pickle", "legacy pickle", "safetensors", "safetensors index"
  std::string key;     ///< where in the file it was found; "" for the top level
  std::vector<StoredTensor> tensors;  ///< in the file's order; names are unique
  std::vector<std::string> notes;     ///< "ignored 3 entries that are no tensors: epoch, lr, name"
};

/// Reads `file`. `key`: dotted path of the state_dict inside; empty finds the only one there is.
/// Throws Error(model) in one sentence: what the file is, which global a pickle wanted to run, or
/// which keys hold state_dicts when there are several.
[[nodiscard]] StateDict read_state_dict(const std::filesystem::path& file, const std::string& key);

/// Row-major bytes of the tensor (a copy only when it is strided) hashed per weight, sorted by
/// name.
[[nodiscard]] std::vector<run::WeightDigest> digest_weights(const StateDict& weights);

}  // namespace parity::model

// What a model file is, as a golden remembers it: kind, size and a digest of every weight.
// Knows no format of files: each reader of model/ fills it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/digest.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace parity::run {

struct WeightDigest {
  std::string name;  ///< as in the state_dict
  tensor::DType dtype = tensor::DType::float32;
  tensor::Shape shape;
  tensor::Digest
      digest;  ///< of the contiguous row-major bytes as stored in the file, before any cast

  bool operator==(const WeightDigest&) const = default;
};

struct ModelDescription {
  std::string file_name;  ///< without its folder
  std::string kind;       ///< "torchscript", "decoder:llama"
  std::uint64_t parameter_count = 0;
  std::vector<WeightDigest> weights;  ///< sorted by name; tied weights appear once per name
  tensor::Digest all_weights;         ///< see digest_of_weights
};

/// One digest for all weights: over name, dtype, shape and digest of each in order. Needs `weights`
/// sorted by name.
[[nodiscard]] tensor::Digest digest_of_weights(const std::vector<WeightDigest>& weights);

}  // namespace parity::run

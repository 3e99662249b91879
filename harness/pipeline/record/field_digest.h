// One digest over texts, tensors and trees of inputs, so that no two lists of them give the same
// bytes. Knows no meaning of a field.
#pragma once

#include <string_view>

#include "tensor/digest.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Every field goes in with its length in front.
class FieldDigest {
 public:
  void add(std::string_view field);
  void add(const tensor::HostTensor& tensor);
  void add(const tensor::Value& value);
  [[nodiscard]] tensor::Digest finish() const { return stream_.finish(); }

 private:
  tensor::DigestStream stream_;
};

}  // namespace parity::pipeline

// The digest of all weights. Its text form is part of the golden's format: changing it makes every
// golden's weights look different.
#include "run/model_description.h"

#include <span>

namespace parity::run {

tensor::Digest digest_of_weights(const std::vector<WeightDigest>& weights) {
  tensor::DigestStream stream;
  for (const WeightDigest& weight : weights) {
    std::string line = weight.name;
    line += '\0';
    line += std::string(tensor::name(weight.dtype)) + " " + tensor::to_string(weight.shape) + " " +
            tensor::to_hex(weight.digest) + "\n";
    stream.update(std::as_bytes(std::span(line)));
  }
  return stream.finish();
}

}  // namespace parity::run

// Seals any bytes as a golden, the way someone who recomputes the digest would. For tests of a
// reader that trusts nothing.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "golden_store/scratch_folder.h"
#include "golden_store/user_block.h"
#include "tensor/digest.h"

namespace parity::golden_store::testing {

/// A user block that fits `body`, followed by it.
inline std::string sealed(const std::string& body) {
  UserBlock block;
  block.body_bytes = body.size();
  block.body_digest = tensor::digest_of(std::as_bytes(std::span(body)));
  const UserBlockBytes start = encode(block);
  return std::string(reinterpret_cast<const char*>(start.data()), start.size()) + body;
}

/// Seals a golden again after its body was changed.
inline void reseal(const std::filesystem::path& path) {
  write_file(path, sealed(file_bytes(path).substr(kUserBlockBytes)));
}

}  // namespace parity::golden_store::testing

// The safetensors format: 8 bytes of header size, a JSON header, then the tensors' bytes without
// gaps. Checks everything that its specification asks of a reader before any byte is handed out.
#pragma once

#include <string>
#include <vector>

#include "model/weights/file_bytes.h"
#include "model/weights/state_dict.h"

namespace parity::model {

/// True when the bytes begin with a plausible header size and a JSON object.
[[nodiscard]] bool is_safetensors(std::span<const std::byte> bytes);

struct SafetensorsContent {
  std::vector<StoredTensor> tensors;  ///< in the order of their bytes
  std::vector<std::string> notes;
};

/// Throws Error(model) when the header is malformed, a name comes twice, or offsets overlap, leave
/// gaps, reach past the file or do not fit shape and dtype.
[[nodiscard]] SafetensorsContent read_safetensors(const FileBytes& file, const std::string& label);

}  // namespace parity::model

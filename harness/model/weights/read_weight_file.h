// Private to the readers of weights: one file that holds weights itself, as opposed to an index of
// such files.
#pragma once

#include <filesystem>
#include <string>

#include "model/weights/file_bytes.h"
#include "model/weights/state_dict.h"

namespace parity::model {

/// `mapped` are the bytes of `file`. Throws Error(model) in one sentence when it is no weight file.
[[nodiscard]] StateDict read_weight_file(const FileBytes& mapped, const std::filesystem::path& file,
                                         const std::string& key);

}  // namespace parity::model

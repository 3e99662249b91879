// The two containers that torch.save writes: a zip archive, and the older run of pickles with raw
// storages behind. Locates storages in the file; copies nothing that is stored uncompressed.
#pragma once

#include <memory>
#include <string>

#include "model/weights/file_bytes.h"
#include "model/weights/pickle_value.h"
#include "model/weights/state_dict.h"
#include "model/weights/zip_archive.h"

namespace parity::model {

/// Everything that a torch.save file holds, as plain data.
struct Checkpoint {
  std::string format;  ///< "zip pickle" or "legacy pickle"
  std::shared_ptr<PickleArena> arena;
  const PickleObject* root = nullptr;
};

/// True when the bytes begin with the pickled magic number of the older container.
[[nodiscard]] bool is_legacy_torch_file(std::span<const std::byte> bytes);

/// Both throw Error(model) in one sentence when the file is damaged or its pickle wants more than
/// plain data.
[[nodiscard]] Checkpoint read_torch_zip(const ZipArchive& archive, const std::string& label);
[[nodiscard]] Checkpoint read_legacy_torch_file(const FileBytes& file, const std::string& label);

/// Either of the two by content. Throws Error(model) saying what the file is when it is neither.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

/// The tensor as a view into its storage. Throws Error(model) naming it when its values cannot be
/// used.
[[nodiscard]] StoredTensor stored_tensor(const std::string& name, const PickleTensor& tensor,
                                         const std::string& label);

}  // namespace parity::model

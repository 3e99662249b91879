// NumPy's own files: one array (.npy, format 1 to 3) or a zip of named ones (.npz).
// Runs nothing: arrays of Python objects, which are pickles, are refused.
#pragma once

#include <string>

#include "model/weights/file_bytes.h"
#include "model/weights/zip_archive.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::model {

[[nodiscard]] bool is_npy(std::span<const std::byte> bytes);

/// The array, row-major and little-endian whatever the file's order is.
/// Throws Error(usage) when it is malformed, cut off, or holds objects, text, dates or records.
[[nodiscard]] tensor::HostTensor read_npy(const FileBytes& file, const std::string& label);

/// True when the archive holds arrays and nothing else.
[[nodiscard]] bool is_npz(const ZipArchive& archive);

/// A tuple when the arrays are named arr_0, arr_1, ... (savez without names), else a dict by name.
[[nodiscard]] tensor::Value read_npz(const ZipArchive& archive, const std::string& label);

}  // namespace parity::model

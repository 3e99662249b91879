// What a model file is, by content alone; the extension is never looked at.
// Opens no model: it says which reader can, or why none can and how to export one that works.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace parity::model {

enum class FileKind : std::uint8_t {
  torchscript,        ///< archive of torch.jit.save
  state_dict_zip,     ///< torch.save of plain data, zip container
  state_dict_legacy,  ///< torch.save of plain data, older container
  safetensors,
  safetensors_index,  ///< `*.index.json` of sharded weights: safetensors or torch pickles
  exported_program,   ///< `.pt2` of torch.export
  onnx,
  other,  ///< everything else, refused pickles and missing files included
};

struct FileDescription {
  FileKind kind = FileKind::other;
  /// One sentence that begins with the file's name: what it is and, unless it is a kind that can be
  /// opened, what to do. For a pickle that wants to run code, it names the global.
  std::string sentence;
};

/// Never throws for the file's content; a missing or unreadable file is `other` with the reason.
/// Throws Error(resource) when the machine is at fault: no memory, no file descriptor left.
[[nodiscard]] FileDescription describe_file(const std::filesystem::path& file);

/// True for the kinds that read_state_dict reads.
[[nodiscard]] bool holds_weights(FileKind kind);

/// What a foreign format is, as a predicate with advice ("is an HDF5 file; ..."), by its first
/// bytes; nullopt when they are of no known format.
[[nodiscard]] std::optional<std::string> foreign_format(std::span<const std::byte> bytes);

/// True when the bytes are a protobuf message that has the fields of an ONNX model.
[[nodiscard]] bool looks_like_onnx(std::span<const std::byte> bytes);

}  // namespace parity::model

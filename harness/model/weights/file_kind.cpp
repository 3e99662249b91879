#include "model/weights/file_kind.h"

#include <algorithm>
#include <utility>

#include "error/error.h"
#include "model/weights/file_bytes.h"
#include "model/weights/one_line.h"
#include "model/weights/pickle_reader.h"
#include "model/weights/safetensors.h"
#include "model/weights/sharded_index.h"
#include "model/weights/torch_file.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

constexpr std::string_view kExport =
    "; export the model in Python with torch.export.save(program, \"model.pt2\"), "
    "torch.jit.script(model).save(\"model.pt\") or torch.save(model.state_dict(), \"weights.pt\")";

bool has_record_in(const ZipArchive& archive, std::string_view part) {
  return std::any_of(archive.entries().begin(), archive.entries().end(),
                     [part](const ZipArchive::Entry& entry) {
                       return entry.name.find(part) != std::string::npos;
                     });
}

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

/// Zip files that torch did not write with torch.save or torch.jit.save.
FileDescription describe_foreign_zip(const ZipArchive& archive, const std::string& label) {
  if (has_record_in(archive, "aotinductor/")) {
    return {FileKind::other, label +
                                 " is an AOTInductor package: native code for one kind of "
                                 "device, which cannot be replayed on another" +
                                 std::string(kExport)};
  }
  if (has_record_in(archive, "archive_format") ||
      has_record_in(archive, "serialized_exported_program.json")) {
    return {FileKind::exported_program, label + " is an exported program of torch.export"};
  }
  const auto& entries = archive.entries();
  const bool arrays = !entries.empty() && std::all_of(entries.begin(), entries.end(),
                                                      [](const ZipArchive::Entry& entry) {
                                                        return ends_with(entry.name, ".npy");
                                                      });
  if (arrays) {
    return {FileKind::other, label + " is a NumPy .npz file; it can be an input, not a model"};
  }
  if (archive.contains("model.weights.h5")) {
    return {FileKind::other, label + " is a Keras model" + std::string(kExport)};
  }
  if (archive.contains("MAR-INF/MANIFEST.json")) {
    return {FileKind::other,
            label + " is a TorchServe archive; unzip it and give the model file inside"};
  }
  return {FileKind::other, label +
                               " is a zip archive that PyTorch did not write; unzip it and "
                               "give the model file inside"};
}

FileDescription describe_zip(const FileBytes& mapped, const std::string& label) {
  const ZipArchive archive(mapped, label);
  const std::string top = archive.top_folder();
  const std::string folder = top.empty() ? top : top + "/";
  if (archive.contains(folder + "constants.pkl")) {
    if (!has_record_in(archive, folder + "code/")) {
      return {FileKind::other, label +
                                   " is a PyTorch Mobile module without its TorchScript code; "
                                   "save it with torch.jit.script(model).save(\"model.pt\")"};
    }
    return {FileKind::torchscript, label + " is a TorchScript archive, not a state_dict"};
  }
  if (!archive.contains(folder + "data.pkl")) return describe_foreign_zip(archive, label);
  static_cast<void>(read_torch_zip(archive, label));
  return {FileKind::state_dict_zip, label + " is a torch.save file of tensors (zip container)"};
}

FileDescription describe_raw_pickle(const FileBytes& mapped, const std::string& label) {
  const std::string plain = label +
                            " is a Python pickle that torch.save did not write; save the weights "
                            "with torch.save(model.state_dict(), \"weights.pt\")";
  PickleArena arena;
  const Pickle pickle = read_pickle(mapped.bytes, 0, arena, nullptr, label);
  const std::string reason = refusal(pickle, label);
  return {FileKind::other, reason.empty() ? plain : reason};
}

std::string first_bytes(std::span<const std::byte> bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4U];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15U];
  }
  return text;
}

FileDescription describe_bytes(const FileBytes& mapped, const std::string& label) {
  const std::span<const std::byte> bytes = mapped.bytes;
  if (bytes.empty()) return {FileKind::other, label + " is empty; copy or save it again"};
  if (is_safetensors(bytes)) {
    static_cast<void>(read_safetensors(mapped, label));
    return {FileKind::safetensors, label + " is a safetensors file"};
  }
  if (ZipArchive::looks_like_zip(bytes)) return describe_zip(mapped, label);
  if (is_legacy_torch_file(bytes)) {
    static_cast<void>(read_legacy_torch_file(mapped, label));
    return {FileKind::state_dict_legacy,
            label + " is a torch.save file of tensors (legacy container)"};
  }
  if (is_sharded_index(bytes)) {
    return {FileKind::safetensors_index, label + " is the index of sharded weights"};
  }
  if (const std::optional<std::string> predicate = foreign_format(bytes)) {
    return {FileKind::other, label + " " + *predicate};
  }
  if (looks_like_onnx(bytes)) {
    return {FileKind::onnx, label + " is an ONNX model, which is not read" + std::string(kExport)};
  }
  // Protocol 2 and later begin so; older pickles look like text or junk.
  if (bytes[0] == std::byte{0x80}) return describe_raw_pickle(mapped, label);
  return {FileKind::other, label + " is no model file of a known format (it has " +
                               std::to_string(bytes.size()) + " bytes and begins with " +
                               first_bytes(bytes) + ")" + std::string(kExport)};
}

}  // namespace

FileDescription describe_file(const std::filesystem::path& file) {
  try {
    FileDescription description = describe_bytes(map_file(file), file.string());
    description.sentence = one_line(description.sentence);
    return description;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::resource)
      throw Error(error.kind(), one_line(error.what())).with_detail(error.detail());
    return {FileKind::other, one_line(error.what())};
  }
}

bool holds_weights(FileKind kind) {
  return kind == FileKind::state_dict_zip || kind == FileKind::state_dict_legacy ||
         kind == FileKind::safetensors || kind == FileKind::safetensors_index;
}

}  // namespace parity::model

// First bytes of formats that people take for PyTorch files, and what to do about each.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "model/weights/file_bytes.h"
#include "model/weights/file_kind.h"

namespace parity::model {
namespace {

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view predicate;
};

using namespace std::string_view_literals;

constexpr std::string_view kExport =
    "; export the model in Python with torch.export.save(program, \"model.pt2\"), "
    "torch.jit.script(model).save(\"model.pt\") or "
    "torch.save(model.state_dict(), \"weights.pt\")";

constexpr std::array kSignatures = {
    Signature{0, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file (a golden, or Keras weights)"},
    Signature{512, "\x89HDF\r\n\x1a\n"sv, "is an HDF5 file with a user block (a golden)"},
    Signature{257, "ustar"sv,
              "is a tar archive (PyTorch before 0.1.10 saved so); unpack it, or load and save it "
              "again with a current PyTorch"},
    Signature{0, "\x1f\x8b"sv, "is compressed with gzip; unpack it first (gunzip, or tar xzf)"},
    Signature{0, "BZh"sv, "is compressed with bzip2; unpack it first"},
    Signature{0,
              "\xfd"
              "7zXZ\0"sv,
              "is compressed with xz; unpack it first"},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "is compressed with zstd; unpack it first"},
    Signature{0, "7z\xbc\xaf\x27\x1c"sv, "is a 7-Zip archive; unpack it first"},
    Signature{0, "Rar!"sv, "is a RAR archive; unpack it first"},
    Signature{0, "\x93NUMPY"sv, "is a NumPy array; it can be an input, not a model"},
    Signature{0, "GGUF"sv, "is a GGUF file of llama.cpp"},
    Signature{0, "lmgg"sv, "is a GGML file of llama.cpp"},
    Signature{0, "tjgg"sv, "is a GGML file of llama.cpp"},
    Signature{4, "TFL3"sv, "is a TensorFlow Lite model"},
    Signature{4, "PTMF"sv, "is a PyTorch Mobile flatbuffer"},
    Signature{4, "ET12"sv, "is an ExecuTorch program"},
    Signature{0, "version https://git-lfs"sv,
              "is a git-lfs pointer and not the file itself; fetch it with git lfs pull"},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "is a native library or program"},
    Signature{0, "%PDF"sv, "is a PDF document"},
    Signature{0, "\x89PNG"sv, "is a PNG picture"},
    Signature{0, "\xff\xd8\xff"sv, "is a JPEG picture"},
};

bool starts_with_word(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  return std::equal(word.begin(), word.end(), text.begin(), [](char wanted, char got) {
    return wanted == std::tolower(static_cast<unsigned char>(got));
  });
}

bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x20 || letter == '\n' || letter == '\r' || letter == '\t';
  });
}

std::optional<std::string> text_format(std::span<const std::byte> bytes) {
  constexpr std::size_t kEnough = 4096;
  std::string_view text = as_text(bytes.first(std::min(bytes.size(), kEnough)));
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(3);
  constexpr std::size_t kShortestText = 8;
  if (text.size() < kShortestText || !is_plain_text(text)) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of(" \r\n\t"), text.size()));
  if (starts_with_word(text, "<!doctype") || starts_with_word(text, "<html") ||
      starts_with_word(text, "<?xml") || starts_with_word(text, "<head")) {
    return "is a web page, not a model; the download went to a page instead of the file";
  }
  if (!text.empty() && text.front() == '[')
    return "is a JSON list, as of token ids; it can be an input, not a model";
  if (!text.empty() && text.front() == '{') {
    return "is a JSON text; give the weights as the model and a config.json with --config";
  }
  return "is plain text, not a model; check the path or download it again";
}

/// A varint at `at`, which moves behind it; nullopt when it is cut off.
std::optional<std::uint64_t> varint(std::span<const std::byte> bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
    value |= (byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_onnx(std::span<const std::byte> bytes) {
  // ModelProto: 1 ir_version (varint), 2-4 and 6 strings, 5 version, 7 graph, 8 opset_import, then
  // extras.
  constexpr std::size_t kMostFields = 100000;
  bool has_version = false;
  bool has_graph = false;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kMostFields && at < bytes.size(); ++i) {
    const std::optional<std::uint64_t> tag = varint(bytes, at);
    if (!tag) return false;
    const std::uint64_t field = *tag >> 3U;
    const std::uint64_t wire = *tag & 7U;
    const std::optional<std::uint64_t> value = varint(bytes, at);
    const bool is_number = field == 1 || field == 5;
    if (!value || field == 0 || field > 30 || wire != (is_number ? 0U : 2U)) return false;
    if (field == 1) has_version = *value > 0 && *value < 100;
    if (is_number) continue;
    // A graph that is cut off is still a graph.
    if (field == 7) has_graph = true;
    if (!holds(bytes, at, *value)) return has_version && has_graph;
    at += *value;
  }
  return has_version && has_graph;
}

std::optional<std::string> foreign_format(std::span<const std::byte> bytes) {
  const std::string_view text = as_text(bytes);
  for (const Signature& row : kSignatures) {
    if (text.size() < row.offset || text.substr(row.offset, row.bytes.size()) != row.bytes) {
      continue;
    }
    std::string predicate(row.predicate);
    if (predicate.find("; ") == std::string::npos) predicate += kExport;
    return predicate;
  }
  // The fields of a TensorFlow SavedModel: 1 schema version (1), 2 graph.
  if (text.substr(0, 3) == "\x08\x01\x12"sv && !looks_like_onnx(bytes)) {
    return "looks like a TensorFlow SavedModel; export the model from PyTorch";
  }
  return text_format(bytes);
}

}  // namespace parity::model

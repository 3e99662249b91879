// Chooses the reader of an input file by its content, or the generator by its name.
#include <array>
#include <filesystem>
#include <utility>

#include "error/error.h"
#include "model/inputs.h"
#include "model/inputs/generator.h"
#include "model/inputs/numpy_array.h"
#include "model/inputs/pickled_value.h"
#include "model/inputs/token_json.h"
#include "model/weights/file_kind.h"
#include "model/weights/one_line.h"
#include "model/weights/torch_file.h"

namespace parity::model {
namespace {

using tensor::HostTensor;
using tensor::Value;

constexpr std::string_view kForms =
    "; give a tensor, tuple, list or dict saved with torch.save, an .npy or .npz, token ids as "
    "JSON, or a generator such as randn:1x3x224x224";

/// Text in the wrong encoding looks like it, too: its reader says what is wrong.
bool looks_like_json(std::string_view text) {
  const std::string_view start_bytes = text.substr(0, 2);
  if (start_bytes == "\xff\xfe" || start_bytes == "\xfe\xff") return true;
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  const std::size_t start = text.substr(0, 64).find_first_not_of(" \r\n\t");
  return start != std::string_view::npos && (text[start] == '{' || text[start] == '[');
}

/// What the file is, in the words of inputs: without the advice on exporting a model.
std::string what_it_is(const FileDescription& description, const std::string& label) {
  switch (description.kind) {
    case FileKind::torchscript:
      return label + " is a TorchScript model, not inputs";
    case FileKind::exported_program:
      return label + " is an exported program, not inputs";
    case FileKind::safetensors:
      return label + " is a weights file (safetensors), not inputs";
    case FileKind::safetensors_index:
      return label + " is the index of sharded weights, not inputs";
    default:
      break;
  }
  std::string sentence = description.sentence.substr(0, description.sentence.find("; "));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kWords = {
      {{", not a model", ", not inputs"}, {" no model file of ", " no file of "}}};
  for (const auto& [model, inputs] : kWords) {
    const std::size_t at = sentence.find(model, label.size());
    if (at != std::string::npos) sentence.replace(at, model.size(), inputs);
  }
  return sentence;
}

/// A dict gives the arguments by keyword, so each key must be able to name one.
void refuse_what_names_no_argument(const Value& value, const std::string& label) {
  const auto* dict = std::get_if<tensor::ValueDict>(&value.data);
  if (dict == nullptr) return;
  for (const auto& [key, item] : dict->items) {
    const bool weight =
        std::holds_alternative<HostTensor>(item.data) && key.find('.') != std::string::npos;
    if (weight || key == "state_dict" || key == "model_state_dict") {
      throw Error(ErrorKind::usage, label + " is a weights file, not inputs (it holds `" + key +
                                        "`)" + std::string(kForms));
    }
    if (key.empty()) {
      throw Error(ErrorKind::usage, label +
                                        " has an entry whose key is empty; name each entry after "
                                        "the argument that it is for");
    }
  }
}

Value load_file(const std::filesystem::path& file) {
  const std::string label = file.string();
  const FileBytes mapped = map_file(file);
  if (is_npy(mapped.bytes)) return {read_npy(mapped, label)};
  const FileDescription description = describe_file(file);
  const FileKind kind = description.kind;
  if (kind == FileKind::state_dict_zip || kind == FileKind::state_dict_legacy) {
    return value_of_pickle(*read_checkpoint(file).root, label);
  }
  if (ZipArchive::looks_like_zip(mapped.bytes)) {
    const ZipArchive archive(mapped, label);
    if (is_npz(archive)) return read_npz(archive, label);
  } else if (kind != FileKind::safetensors_index && looks_like_json(as_text(mapped.bytes))) {
    return read_token_json(as_text(mapped.bytes), label);
  }
  throw Error(ErrorKind::usage, what_it_is(description, label) + std::string(kForms));
}

Value load_argument(const std::string& text, std::uint64_t seed, std::uint64_t position,
                    std::int64_t vocabulary) {
  if (is_generator(text)) return generate(text, seed, position, vocabulary);
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored)) {
    throw Error(ErrorKind::usage, "the input `" + text + "` is neither a file nor a generator (" +
                                      std::string(generator_names()) + ")");
  }
  try {
    return load_file(text);
  } catch (const Error& error) {
    // The shared readers blame a model; here it is what the user gave as inputs.
    if (error.kind() != ErrorKind::model) throw;
    throw Error(ErrorKind::usage, error.what()).with_detail(error.detail());
  }
}

Value load_arguments(const std::string& spec, std::uint64_t seed, std::int64_t vocabulary) {
  std::error_code ignored;
  if (spec.find(';') == std::string::npos || std::filesystem::exists(spec, ignored)) {
    Value value = load_argument(spec, seed, 0, vocabulary);
    refuse_what_names_no_argument(value, spec);
    return value;
  }
  tensor::ValueTuple arguments;
  std::string_view rest = spec;
  for (;;) {
    const std::size_t end = rest.find(';');
    arguments.items.push_back(
        load_argument(std::string(rest.substr(0, end)), seed, arguments.items.size(), vocabulary));
    if (end == std::string_view::npos) return {std::move(arguments)};
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

Value load_inputs(const std::string& spec, std::uint64_t seed, std::int64_t vocabulary) {
  return with_one_line_errors([&] { return load_arguments(spec, seed, vocabulary); });
}

}  // namespace parity::model

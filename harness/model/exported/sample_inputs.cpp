// The inputs that an exported program brings along, in the form that parity's inputs have.
#include <memory>
#include <utility>

#include "error/error.h"
#include "model/exported/program_archive.h"
#include "model/exported/program_json.h"
#include "model/inputs.h"
#include "model/inputs/pickled_value.h"
#include "model/weights/file_kind.h"
#include "model/weights/one_line.h"
#include "model/weights/torch_file.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

using tensor::Value;

/// Positional arguments as a tuple, or everything by keyword where some are.
Value joined(const Value& saved, const ProgramArchive& archive) {
  const std::string& label = archive.label();
  const auto* both = std::get_if<tensor::ValueTuple>(&saved.data);
  const auto* positional = both == nullptr || both->items.size() != 2
                               ? nullptr
                               : std::get_if<tensor::ValueTuple>(&both->items[0].data);
  const auto* keywords =
      positional == nullptr ? nullptr : std::get_if<tensor::ValueDict>(&both->items[1].data);
  const std::string refusal = label + " holds no sample inputs that can be read; give --inputs";
  if (keywords == nullptr) throw Error(ErrorKind::usage, refusal);
  if (keywords->items.empty()) return {*positional};
  if (positional->items.empty()) return {*keywords};
  const std::vector<std::string> names = parse_program(archive.program(), label).argument_names;
  if (names.size() < positional->items.size()) throw Error(ErrorKind::usage, refusal);
  tensor::ValueDict all;
  for (std::size_t i = 0; i < positional->items.size(); ++i)
    all.items.emplace_back(names[i], positional->items[i]);
  for (const auto& item : keywords->items) all.items.push_back(item);
  return {std::move(all)};
}

}  // namespace

Value sample_inputs(const std::filesystem::path& model) {
  const FileDescription file = describe_file(model);
  if (file.kind != FileKind::exported_program) {
    // What is wrong with a file that is no model comes before what is missing for one.
    if (file.kind != FileKind::torchscript && !holds_weights(file.kind))
      throw Error(ErrorKind::model, file.sentence);
    throw Error(ErrorKind::usage,
                "--inputs is required: a file or a generator such as tokens:4x128 (with --sweep, "
                "which varies its sizes, tokens:BxL is taken); an exported program alone brings "
                "inputs of its own");
  }
  return with_one_line_errors([&]() -> Value {
    const ProgramArchive archive(model);
    const std::string label = "the sample inputs of " + archive.label();
    const std::optional<FileBytes> record = archive.sample_inputs();
    if (!record || record->bytes.empty())
      throw Error(ErrorKind::usage, archive.label() + " holds no sample inputs; give --inputs");
    const Checkpoint saved = read_torch_zip(ZipArchive(*record, label), label);
    return joined(value_of_pickle(*saved.root, label), archive);
  });
}

}  // namespace parity::model

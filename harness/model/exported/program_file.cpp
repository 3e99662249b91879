#include "model/exported/program_file.h"

#include <utility>

#include "error/error.h"
#include "model/exported/json_argument.h"
#include "model/exported/program_archive.h"
#include "model/exported/program_json.h"
#include "model/weights/json_text.h"
#include "model/weights/one_line.h"
#include "tensor/shape.h"

namespace parity::model {
namespace {

using nlohmann::json;

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
[[noreturn]] void refuse(const std::string& label, const std::string& name,
                         const std::string& what) {
  throw Error(ErrorKind::model,
              "the weight `" + name + "` of " + label + " " + what + "; export the model again");
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::int64_t known_size(const json& value, const std::string& label, const std::string& name) {
  const SymbolicSize size = size_of_json(value);
  const auto* known = std::get_if<std::int64_t>(&size);
  if (known == nullptr || *known < 0) refuse(label, name, "has no size that is known");
  return *known;
}

/// Whether all elements lie inside what the record holds.
bool fits(const StoredTensor& stored) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < stored.shape.size(); ++i) {
    if (stored.shape[i] == 0) return true;
    std::uint64_t step = 0;
    if (__builtin_mul_overflow(static_cast<std::uint64_t>(stored.shape[i] - 1),
                               static_cast<std::uint64_t>(stored.strides[i]), &step) ||
        __builtin_add_overflow(last, step, &last))
      return false;
  }
  return last < stored.storage.size() / tensor::size_bytes(stored.dtype);
}

ProgramWeight weight_from_json(const std::string& name, const json& payload,
                               const std::string& part, const ProgramArchive& archive) {
  const std::string& label = archive.label();
  if (payload.at("use_pickle").get<bool>() || payload.at("tensor_meta").is_null()) {
    refuse(label, name,
           "is no plain tensor but an object of a class of its own (quantised, distributed, or a "
           "custom object), which is not read");
  }
  const json& meta = payload.at("tensor_meta");
  ProgramWeight weight;
  weight.role = payload.at("is_param").get<bool>() ? WeightRole::parameter : WeightRole::other;
  weight.trainable = meta.at("requires_grad").get<bool>() ? Trainable::yes : Trainable::no;
  weight.record = part + "/" + payload.at("path_name").get<std::string>();
  weight.offset_elements = known_size(meta.at("storage_offset"), label, name);
  StoredTensor& stored = weight.stored;
  stored.name = name;
  const auto dtype = dtype_from_schema(whole_number(meta.at("dtype")));
  constexpr std::int64_t kStrided = 7;
  if (!dtype || whole_number(meta.at("layout")) != kStrided)
    refuse(label, name, "is of a dtype or layout that parity does not read");
  stored.dtype = *dtype;
  for (const json& size : list_at(meta, "sizes"))
    stored.shape.push_back(known_size(size, label, name));
  for (const json& stride : list_at(meta, "strides"))
    stored.strides.push_back(known_size(stride, label, name));
  const FileBytes record = archive.tensor(part, payload.at("path_name").get<std::string>());
  const std::uint64_t element = tensor::size_bytes(stored.dtype);
  std::uint64_t offset = 0;
  const bool overflow =
      __builtin_mul_overflow(static_cast<std::uint64_t>(weight.offset_elements), element, &offset);
  const bool inside = !overflow && offset <= record.bytes.size();
  stored.storage = inside ? record.bytes.subspan(offset) : std::span<const std::byte>();
  stored.owner = record.owner;
  if (stored.strides.size() != stored.shape.size() || !fits(stored))
    refuse(label, name, "reaches past the bytes that the file holds for it");
  return weight;
}

void read_weights(const std::string& part, const ProgramArchive& archive,
                  std::map<std::string, ProgramWeight>& weights) {
  const FileBytes list = archive.list_of(part);
  const json document = parse_json(as_text(list.bytes), archive.label() + ": its list of " + part);
  for (const auto& [name, payload] : object_at(document, "config").items())
    weights.emplace(name, weight_from_json(name, payload, part, archive));
}

ProgramFile read_file(const std::filesystem::path& file) {
  const ProgramArchive archive(file);
  ProgramFile result;
  result.program = parse_program(archive.program(), archive.label());
  try {
    for (const char* part : {"weights", "constants"}) read_weights(part, archive, result.weights);
  } catch (const MalformedProgram& error) {
    throw Error(ErrorKind::model, archive.label() + " is damaged (its list of weights: " +
                                      error.what() + "); copy or save it again");
  } catch (const json::exception& error) {
    throw Error(ErrorKind::model, archive.label() +
                                      " is damaged (its list of weights has another form than "
                                      "torch.export.save gives it); copy or save it again")
        .with_detail(error.what());
  }
  for (const ProgramInput& input : result.program.inputs) {
    const bool weight = input.role == InputRole::parameter || input.role == InputRole::buffer ||
                        input.role == InputRole::tensor_constant;
    if (weight && result.weights.count(input.target) == 0)
      refuse(archive.label(), input.target, "is not in the file");
  }
  return result;
}

}  // namespace

ProgramFile read_program_file(const std::filesystem::path& file) {
  return with_one_line_errors([&] { return read_file(file); });
}

}  // namespace parity::model

#include "model/weights/sharded_index.h"

#include <map>
#include <unordered_map>
#include <utility>

#include "error/error.h"
#include "model/weights/file_bytes.h"
#include "model/weights/json_text.h"
#include "model/weights/read_weight_file.h"

namespace parity::model {
namespace {

using NamesByShard = std::map<std::string, std::vector<std::string>>;

NamesByShard names_by_shard(const FileBytes& mapped, const std::string& label) {
  const nlohmann::json document = parse_json(as_text(mapped.bytes), label);
  const auto map = document.find("weight_map");
  if (map == document.end() || !map->is_object() || map->empty()) {
    throw Error(ErrorKind::model, label + " has an empty weight_map; download the index again");
  }
  NamesByShard result;
  for (const auto& [name, shard] : map->items()) {
    if (!shard.is_string()) {
      throw Error(ErrorKind::model, label + " names no file for `" + name + "`; download it again");
    }
    result[shard.get<std::string>()].push_back(name);
  }
  return result;
}

/// The shard's path, which must stay inside the index's own folder.
std::filesystem::path shard_path(const std::filesystem::path& index, const std::string& name) {
  const std::filesystem::path relative = name;
  bool leaves = name.empty() || relative.is_absolute() || name.find('\0') != std::string::npos;
  for (const std::filesystem::path& part : relative) leaves = leaves || part == "..";
  if (leaves) {
    throw Error(ErrorKind::model, index.string() + " names the shard `" + name +
                                      "`, which lies outside its folder; refused");
  }
  return index.parent_path() / relative;
}

}  // namespace

bool is_sharded_index(std::span<const std::byte> bytes) {
  constexpr std::size_t kMostBytes = 100'000'000;
  const std::string_view text = as_text(bytes);
  const std::size_t start = text.substr(0, 64).find_first_not_of(" \r\n\t");
  if (start == std::string_view::npos || text[start] != '{' || bytes.size() > kMostBytes ||
      text.find("\"weight_map\"") == std::string_view::npos) {
    return false;
  }
  try {
    return parse_json(text, "").contains("weight_map");
  } catch (const Error&) {
    return false;
  }
}

StateDict read_sharded_index(const std::filesystem::path& file) {
  const std::string label = file.string();
  StateDict result;
  result.format = "safetensors index";
  for (const auto& [shard_name, names] : names_by_shard(map_file(file), label)) {
    const std::filesystem::path path = shard_path(file, shard_name);
    if (!std::filesystem::exists(path)) {
      throw Error(ErrorKind::model,
                  label + " needs the shard " + shard_name + ", which is missing beside it");
    }
    const FileBytes mapped = map_file(path);
    // An index that names itself would not end.
    if (is_sharded_index(mapped.bytes)) {
      throw Error(ErrorKind::model, label + " names another index as the shard " + shard_name +
                                        "; download it again");
    }
    StateDict shard = read_weight_file(mapped, path, "");
    std::unordered_map<std::string, StoredTensor*> by_name;
    for (StoredTensor& tensor : shard.tensors) by_name.emplace(tensor.name, &tensor);
    for (const std::string& name : names) {
      const auto found = by_name.find(name);
      if (found == by_name.end()) {
        throw Error(ErrorKind::model, label + " places `" + name + "` in the shard " + shard_name +
                                          ", which does not hold it; download both again");
      }
      result.tensors.push_back(std::move(*found->second));
    }
    if (shard.tensors.size() > names.size()) {
      result.notes.push_back("tensors of " + shard_name + " that the index does not name: " +
                             std::to_string(shard.tensors.size() - names.size()));
    }
    result.notes.insert(result.notes.end(), shard.notes.begin(), shard.notes.end());
  }
  return result;
}

}  // namespace parity::model

// Chooses the reader of a weight file by its content.
#include <utility>

#include "error/error.h"
#include "model/weights/one_line.h"
#include "model/weights/read_weight_file.h"
#include "model/weights/safetensors.h"
#include "model/weights/sharded_index.h"
#include "model/weights/state_dict.h"
#include "model/weights/state_dict_search.h"
#include "model/weights/torch_file.h"

namespace parity::model {

StateDict read_weight_file(const FileBytes& mapped, const std::filesystem::path& file,
                           const std::string& key) {
  if (is_safetensors(mapped.bytes)) {
    if (!key.empty() && key != ".") {
      throw Error(ErrorKind::model, file.string() +
                                        " is a safetensors file, which has no keys to "
                                        "choose from; leave out --state-key");
    }
    SafetensorsContent content = read_safetensors(mapped, file.string());
    return {"safetensors", "", std::move(content.tensors), std::move(content.notes)};
  }
  const Checkpoint checkpoint = read_checkpoint(file);
  StateDict result = find_state_dict(*checkpoint.root, key, file.string());
  result.format = checkpoint.format;
  return result;
}

namespace {

StateDict read_any(const std::filesystem::path& file, const std::string& key) {
  const FileBytes mapped = map_file(file);
  if (is_sharded_index(mapped.bytes)) {
    if (!key.empty()) {
      throw Error(ErrorKind::model, file.string() +
                                        " is the index of sharded weights, which has "
                                        "no keys to choose from; leave out --state-key");
    }
    return read_sharded_index(file);
  }
  return read_weight_file(mapped, file, key);
}

}  // namespace

StateDict read_state_dict(const std::filesystem::path& file, const std::string& key) {
  StateDict result = with_one_line_errors([&] { return read_any(file, key); });
  for (std::string& note : result.notes) note = one_line(note);
  return result;
}

}  // namespace parity::model

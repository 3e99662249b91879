// Test tool: prints everything that the reader sees in a torch.save or safetensors file, one leaf a
// line: kind, path, and for tensors dtype, shape and the row-major bytes in hexadecimal. Exit 2
// with the error's text.
#include <cstdio>
#include <string>

#include "error/error.h"
#include "model/weights/file_bytes.h"
#include "model/weights/safetensors.h"
#include "model/weights/sharded_index.h"
#include "model/weights/strided_bytes.h"
#include "model/weights/torch_file.h"

namespace {

using parity::model::PickleObject;
using parity::model::StoredTensor;

void print_hex(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) std::printf("%02x", std::to_integer<unsigned>(byte));
}

void print_text(const char* kind, const std::string& path, std::string_view text) {
  std::printf("%s\t%s\t", kind, path.c_str());
  print_hex(std::as_bytes(std::span(text)));
  std::printf("\n");
}

void print_tensor(const std::string& path, const StoredTensor& tensor) {
  std::printf("tensor\t%s\t%s\t", path.c_str(),
              std::string(parity::tensor::name(tensor.dtype)).c_str());
  for (const std::int64_t size : tensor.shape) std::printf("%lld,", static_cast<long long>(size));
  std::printf("\t");
  parity::model::for_each_piece(tensor, print_hex);
  std::printf("\n");
}

std::string spell(const PickleObject& key) {
  if (const auto text = parity::model::text_of(key)) return std::string(*text);
  if (const auto* number = key.as<std::int64_t>()) return std::to_string(*number);
  return parity::model::describe(key);
}

void print_object(const std::string& path, const PickleObject& object) {
  using namespace parity::model;
  if (const auto* dict = object.as<PickleDict>()) {
    std::printf("dict\t%s\t%zu\n", path.c_str(), dict->items.size());
    for (const auto& [key, value] : dict->items) print_object(path + "/" + spell(*key), *value);
  } else if (const auto* sequence = object.as<PickleSequence>()) {
    std::printf("sequence\t%s\t%zu\n", path.c_str(), sequence->items.size());
    if (sequence->kind == SequenceKind::set) return;  // its order is not the file's business
    for (std::size_t i = 0; i < sequence->items.size(); ++i) {
      print_object(path + "/" + std::to_string(i), *sequence->items[i]);
    }
  } else if (const auto* tensor = object.as<PickleTensor>()) {
    if (!tensor->unsupported.empty()) {
      std::printf("unsupported\t%s\t%s\n", path.c_str(), tensor->unsupported.c_str());
    } else {
      print_tensor(path, stored_tensor(path, *tensor, "the file"));
    }
  } else if (const auto* integer = object.as<std::int64_t>()) {
    std::printf("int\t%s\t%lld\n", path.c_str(), static_cast<long long>(*integer));
  } else if (const auto* number = object.as<double>()) {
    std::printf("float\t%s\t%a\n", path.c_str(), *number);
  } else if (const auto* flag = object.as<bool>()) {
    std::printf("bool\t%s\t%d\n", path.c_str(), *flag ? 1 : 0);
  } else if (const auto* text = object.as<PickleText>()) {
    print_text("str", path, text->text);
  } else if (const auto* bytes = object.as<PickleBytes>()) {
    print_text("bytes", path, bytes->bytes);
  } else {
    std::printf("other\t%s\t%s\n", path.c_str(), describe(object).c_str());
  }
}

int dump(const std::filesystem::path& file) {
  using namespace parity::model;
  const FileBytes mapped = map_file(file);
  if (is_safetensors(mapped.bytes) || is_sharded_index(mapped.bytes)) {
    for (const StoredTensor& tensor : read_state_dict(file, "").tensors) {
      print_tensor("/" + tensor.name, tensor);
    }
    return 0;
  }
  print_object("", *read_checkpoint(file).root);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: parity_dump_weights FILE\n");
    return 2;
  }
  try {
    return dump(argv[1]);
  } catch (const parity::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

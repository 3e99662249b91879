// Test tool: prints what load_inputs makes of one argument, one leaf a line: kind, path, and for
// tensors dtype, shape and bytes in hexadecimal. Exit 2 with the error's text.
#include <cstdio>
#include <string>

#include "error/error.h"
#include "model/inputs.h"

namespace {

using parity::tensor::HostTensor;
using parity::tensor::Value;

void print_hex(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) std::printf("%02x", std::to_integer<unsigned>(byte));
}

void print_tensor(const std::string& path, const HostTensor& tensor) {
  std::printf("tensor\t%s\t%s\t", path.c_str(),
              std::string(parity::tensor::name(tensor.dtype())).c_str());
  for (const std::int64_t size : tensor.shape()) std::printf("%lld,", static_cast<long long>(size));
  std::printf("\t");
  print_hex(tensor.bytes());
  std::printf("\n");
}

void print_value(const std::string& path, const Value& value);

void print_items(const std::string& path, const std::vector<Value>& items) {
  std::printf("sequence\t%s\t%zu\n", path.c_str(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    print_value(path + "/" + std::to_string(i), items[i]);
  }
}

void print_value(const std::string& path, const Value& value) {
  if (const auto* tensor = std::get_if<HostTensor>(&value.data)) {
    print_tensor(path, *tensor);
  } else if (const auto* list = std::get_if<parity::tensor::ValueList>(&value.data)) {
    print_items(path, list->items);
  } else if (const auto* tuple = std::get_if<parity::tensor::ValueTuple>(&value.data)) {
    print_items(path, tuple->items);
  } else if (const auto* dict = std::get_if<parity::tensor::ValueDict>(&value.data)) {
    std::printf("dict\t%s\t%zu\n", path.c_str(), dict->items.size());
    for (const auto& [name, item] : dict->items) print_value(path + "/" + name, item);
  } else if (const auto* flag = std::get_if<bool>(&value.data)) {
    std::printf("bool\t%s\t%d\n", path.c_str(), *flag ? 1 : 0);
  } else if (const auto* integer = std::get_if<std::int64_t>(&value.data)) {
    std::printf("int\t%s\t%lld\n", path.c_str(), static_cast<long long>(*integer));
  } else if (const auto* number = std::get_if<double>(&value.data)) {
    std::printf("float\t%s\t%a\n", path.c_str(), *number);
  } else if (const auto* text = std::get_if<std::string>(&value.data)) {
    std::printf("str\t%s\t", path.c_str());
    print_hex(std::as_bytes(std::span(*text)));
    std::printf("\n");
  } else {
    std::printf("other\t%s\n", path.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: parity_dump_inputs FILE-OR-GENERATOR\n");
    return 2;
  }
  try {
    print_value("", parity::model::load_inputs(argv[1], 0, 0));
    return 0;
  } catch (const parity::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

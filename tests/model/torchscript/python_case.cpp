#include "model/torchscript/python_case.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace parity::model {
namespace {

std::filesystem::path folder() { return PARITY_PYTHON_MODELS; }

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("make_models.py has not written " + file.string());
  const std::vector<char> text((std::istreambuf_iterator<char>(in)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

tensor::Shape parse_shape(const std::string& text) {
  tensor::Shape shape;
  if (text == "scalar") return shape;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, 'x');) shape.push_back(std::stoll(part));
  return shape;
}

/// "float32 2x3 OFFSET SIZE" with the offset into `bytes`.
tensor::HostTensor parse_tensor(std::istringstream& line, const std::vector<std::byte>& bytes) {
  std::string dtype;
  std::string shape;
  std::size_t offset = 0;
  std::size_t size = 0;
  line >> dtype >> shape >> offset >> size;
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  return {tensor::dtype_from_name(dtype).value(), parse_shape(shape),
          std::vector<std::byte>(first, first + static_cast<std::ptrdiff_t>(size))};
}

tensor::Value parse_argument(std::istringstream& line, const std::vector<std::byte>& bytes) {
  std::string kind;
  line >> kind;
  if (kind == "tensor") return {parse_tensor(line, bytes)};
  std::string text;
  line >> text;
  if (kind == "int") return {static_cast<std::int64_t>(std::stoll(text))};
  if (kind == "float") return {std::stod(text)};
  if (kind == "bool") return {text == "1"};
  throw std::runtime_error("unknown argument kind " + kind);
}

std::string hex_float(const tensor::HostTensor& host, std::size_t index) {
  const std::byte* place = host.bytes().data() + index * tensor::size_bytes(host.dtype());
  std::ostringstream text;
  if (host.dtype() == tensor::DType::float32) {
    float value = 0;
    std::memcpy(&value, place, sizeof value);
    text << std::hexfloat << value;
  } else {
    text << "0x" << std::hex;
    for (std::size_t i = tensor::size_bytes(host.dtype()); i-- > 0;)
      text << std::to_integer<int>(place[i]) << ' ';
  }
  return text.str();
}

}  // namespace

PythonCase read_python_case(const std::string& name) {
  PythonCase result;
  result.file = folder() / (name + ".pt");
  const std::vector<std::byte> bytes = read_bytes(folder() / (name + ".bin"));
  std::ifstream index(folder() / (name + ".index"));
  tensor::ValueTuple arguments;
  for (std::string text; std::getline(index, text);) {
    std::istringstream line(text);
    std::string kind;
    line >> kind;
    if (kind == "arg") {
      arguments.items.push_back(parse_argument(line, bytes));
    } else {
      tensor::HostTensor value = parse_tensor(line, bytes);
      std::string tap;
      line >> tap;
      result.taps.emplace_back(tap, std::move(value));
    }
  }
  result.inputs.data = std::move(arguments);
  return result;
}

std::string python_torch_version() {
  std::ifstream in(folder() / "torch_version");
  std::string version;
  in >> version;
  return version;
}

std::string difference(const tensor::HostTensor& expected, const tensor::HostTensor& found) {
  if (expected.dtype() != found.dtype() || expected.shape() != found.shape()) {
    return "expected " + std::string(tensor::name(expected.dtype())) + " " +
           tensor::to_string(expected.shape()) + ", found " +
           std::string(tensor::name(found.dtype())) + " " + tensor::to_string(found.shape());
  }
  const std::size_t width = tensor::size_bytes(expected.dtype());
  const std::size_t count = expected.bytes().size() / width;
  std::size_t different = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(expected.bytes().data() + i * width, found.bytes().data() + i * width, width) ==
        0)
      continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {};
  std::ostringstream text;
  text << different << " of " << count << " elements differ, first at [";
  for (const std::int64_t index : tensor::unravel(first, expected.shape())) text << index << ' ';
  text << "]: expected " << hex_float(expected, first) << ", found " << hex_float(found, first);
  return text.str();
}

}  // namespace parity::model

#include "model/inputs/generator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "error/error.h"
#include "model/inputs/normal.h"
#include "model/inputs/philox.h"

namespace parity::model {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::Shape;
using tensor::Value;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36U;
constexpr std::string_view kNames =
    "tokens, randn, rand, randint, zeros, ones, int, float, bool, str, none";

struct Request {
  std::string_view text;  ///< as written, for messages
  std::vector<std::string_view> parts;
  PhiloxWords words;
  std::int64_t vocabulary = 0;
};

[[noreturn]] void malformed(std::string_view text, const std::string& what) {
  throw Error(ErrorKind::usage, "the input `" + std::string(text.substr(0, 200)) + "` " + what);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

Shape parse_shape(const Request& request) {
  if (request.parts.size() < 2) malformed(request.text, "has no shape; write randn:1x3x224x224");
  Shape shape;
  if (request.parts[1] == "scalar") return shape;
  for (const std::string_view size : split(request.parts[1], 'x')) {
    const std::optional<std::int64_t> value = parse<std::int64_t>(size);
    if (!value || *value < 0 || size.front() == '-') {
      malformed(request.text,
                size == "B" || size == "L"
                    ? "has a B or an L among its sizes, which record --sweep puts numbers in for; "
                      "write 4x128 without it"
                    : "has a shape that is not written as 4x128 or scalar");
    }
    shape.push_back(*value);
  }
  return shape;
}

DType parse_dtype(const Request& request, std::span<const DType> allowed) {
  if (request.parts.size() < 3) return DType::float32;
  const std::optional<DType> dtype = tensor::dtype_from_name(request.parts[2]);
  if (dtype && std::find(allowed.begin(), allowed.end(), *dtype) != allowed.end()) return *dtype;
  std::string names;
  for (const DType one : allowed) {
    names += names.empty() ? "" : ", ";
    names += tensor::name(one);
  }
  malformed(request.text, "has a dtype that it cannot have; choose one of " + names);
}

void expect_parts(const Request& request, std::size_t least, std::size_t most, const char* form) {
  if (request.parts.size() < least || request.parts.size() > most) {
    malformed(request.text, "is not of the form " + std::string(form));
  }
}

/// A tensor whose element i is `element(i)`, converted to `dtype`.
template <typename Element>
Value fill(const Request& request, DType dtype, const Shape& shape, const Element& element) {
  const std::size_t size = tensor::size_bytes(dtype);
  std::uint64_t count = 0;
  try {
    count = tensor::element_count(shape);
  } catch (const Error&) {
    count = kMostBytes;
  }
  if (count > kMostBytes / size) malformed(request.text, "asks for more than 64 GiB");
  std::vector<std::byte> bytes;
  try {
    bytes.resize(count * size);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::resource,
                "no memory for the input `" + std::string(request.text) + "`; make it smaller");
  }
  const auto write = [&](auto zero) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = static_cast<decltype(zero)>(element(i));
      std::memcpy(bytes.data() + i * size, &value, size);
    }
  };
  if (dtype == DType::float32) write(0.0F);
  if (dtype == DType::float64) write(0.0);
  if (dtype == DType::int64) write(std::int64_t{0});
  if (dtype == DType::int32) write(std::int32_t{0});
  if (dtype == DType::boolean || dtype == DType::uint8) write(std::uint8_t{0});
  return {HostTensor(dtype, shape, std::move(bytes))};
}

/// Uniform in [low, high), by the upper half of the 128-bit product: no rejection, so element i
/// needs word i alone.
Value fill_integers(const Request& request, const Shape& shape, std::int64_t low,
                    std::int64_t high) {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return fill(request, DType::int64, shape, [&](std::uint64_t i) {
    const Wide product = static_cast<Wide>(request.words.word(i)) * range;
    const auto offset = static_cast<std::uint64_t>(product >> 64U);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  });
}

Value make_tokens(const Request& request) {
  expect_parts(request, 2, 3, "tokens:4x128 or tokens:4x128:VOCABULARY");
  std::int64_t vocabulary = request.vocabulary;
  if (request.parts.size() == 3) {
    const std::optional<std::int64_t> given = parse<std::int64_t>(request.parts[2]);
    if (!given || *given < 1) malformed(request.text, "has a vocabulary size that is no number");
    vocabulary = *given;
  }
  if (vocabulary < 1) {
    malformed(request.text,
              "needs the vocabulary size, which this model does not tell; write it "
              "as tokens:4x128:32000");
  }
  return fill_integers(request, parse_shape(request), 0, vocabulary);
}

Value make_randint(const Request& request) {
  expect_parts(request, 4, 4, "randint:SHAPE:LOW:HIGH");
  const std::optional<std::int64_t> low = parse<std::int64_t>(request.parts[2]);
  const std::optional<std::int64_t> high = parse<std::int64_t>(request.parts[3]);
  if (!low || !high || *low >= *high) {
    malformed(request.text, "needs two integers, the lower one first: randint:SHAPE:LOW:HIGH");
  }
  return fill_integers(request, parse_shape(request), *low, *high);
}

constexpr std::array kFloats = {DType::float32, DType::float64};
constexpr std::array kConstants = {DType::float32, DType::float64, DType::int64,
                                   DType::int32,   DType::uint8,   DType::boolean};

Value make_randn(const Request& request) {
  expect_parts(request, 2, 3, "randn:SHAPE or randn:SHAPE:float64");
  return fill(request, parse_dtype(request, kFloats), parse_shape(request),
              [&](std::uint64_t i) { return normal_from_word(request.words.word(i)); });
}

Value make_rand(const Request& request) {
  expect_parts(request, 2, 3, "rand:SHAPE or rand:SHAPE:float64");
  const DType dtype = parse_dtype(request, kFloats);
  // As many bits as the dtype's significand holds, so that rounding never gives 1.
  const unsigned drop = dtype == DType::float64 ? 11 : 40;
  const double step = dtype == DType::float64 ? 0x1p-53 : 0x1p-24;
  return fill(request, dtype, parse_shape(request), [&](std::uint64_t i) {
    return static_cast<double>(request.words.word(i) >> drop) * step;
  });
}

Value make_constant(const Request& request) {
  expect_parts(request, 2, 3, "zeros:SHAPE or zeros:SHAPE:int64");
  const int value = request.parts[0] == "ones" ? 1 : 0;
  return fill(request, parse_dtype(request, kConstants), parse_shape(request),
              [value](std::uint64_t) { return value; });
}

Value make_scalar(const Request& request) {
  const std::string_view kind = request.parts[0];
  if (kind == "none") return {std::monostate{}};
  const std::string_view text = request.text.substr(std::min(kind.size() + 1, request.text.size()));
  if (kind == "str") return {std::string(text)};
  if (kind == "bool") {
    if (text == "true") return {true};
    if (text == "false") return {false};
    malformed(request.text, "is neither bool:true nor bool:false");
  }
  if (kind == "int") {
    if (const std::optional<std::int64_t> value = parse<std::int64_t>(text)) return {*value};
    malformed(request.text, "is no integer of 64 bits; write int:16000");
  }
  if (const std::optional<double> value = parse<double>(text)) return {*value};
  malformed(request.text, "is no number; write float:0.5");
}

using Maker = Value (*)(const Request&);

Maker maker_of(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Maker>, 11> kMakers = {{
      {"tokens", make_tokens},
      {"randn", make_randn},
      {"rand", make_rand},
      {"randint", make_randint},
      {"zeros", make_constant},
      {"ones", make_constant},
      {"int", make_scalar},
      {"float", make_scalar},
      {"bool", make_scalar},
      {"str", make_scalar},
      {"none", make_scalar},
  }};
  const auto found = std::find_if(kMakers.begin(), kMakers.end(),
                                  [name](const auto& row) { return row.first == name; });
  return found == kMakers.end() ? nullptr : found->second;
}

}  // namespace

bool is_generator(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return text == "none";
  return text.substr(0, colon) != "none" && maker_of(text.substr(0, colon)) != nullptr;
}

std::string_view generator_names() { return kNames; }

Value generate(std::string_view text, std::uint64_t seed, std::uint64_t stream,
               std::int64_t vocabulary) {
  Request request{text, split(text, ':'), PhiloxWords(seed, stream), vocabulary};
  const Maker maker = maker_of(request.parts.front());
  PARITY_CHECK(maker != nullptr);
  return maker(request);
}

}  // namespace parity::model

#include "model/exported/json_argument.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <string_view>
#include <utility>

namespace parity::model {
namespace {

using nlohmann::json;
using tensor::DType;

ProgramArgument value_named(const json& name, ValueKind kind) {
  return {GraphValue{name.get<std::string>(), kind, 0}};
}

/// The one key of a union and what stands under it.
std::pair<std::string, const json*> only_member(const json& object) {
  if (!object.is_object() || object.size() != 1) return {"", &object};
  return {object.begin().key(), &object.begin().value()};
}

/// As a person may see it in a sentence.
std::string shown(const json& value) {
  constexpr std::size_t kMost = 40;
  const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  // JSON has no such numbers.
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw MalformedProgram(shown(value) + " stands where a number should");
}

template <typename Convert>
ProgramArgument list_of(const json& items, const Convert& convert) {
  ArgumentList list;
  if (!items.is_array()) throw MalformedProgram(shown(items) + " stands where a list should");
  for (const json& item : items) list.items.push_back(convert(item));
  return {std::move(list)};
}

ProgramArgument integer(const json& value) { return {whole_number(value)}; }
ProgramArgument floating(const json& value) { return {number_of(value)}; }
ProgramArgument boolean(const json& value) { return {value.get<bool>()}; }
ProgramArgument text(const json& value) { return {value.get<std::string>()}; }
ProgramArgument tensor_of(const json& value) {
  return value_named(value.at("name"), ValueKind::tensor);
}

/// {"as_name": "s"}, {"as_int": 1}, {"as_tensor": {...}}: a union inside a union.
ProgramArgument symbol_or_number(const json& value) {
  const auto [kind, inner] = only_member(value);
  if (kind == "as_name") return value_named(*inner, ValueKind::number);
  return argument_from_json(value);
}

ProgramArgument list_of_lists(const json& lists, ProgramArgument (*convert)(const json&)) {
  return list_of(lists, [&](const json& items) { return list_of(items, convert); });
}

ProgramArgument scalar_type(const json& value) {
  const auto dtype = dtype_from_schema(whole_number(value));
  if (!dtype) return {UnreadArgument{"a dtype with number " + value.dump()}};
  return {*dtype};
}

ProgramArgument memory_format(const json& value) {
  static constexpr std::array kFormats = {MemoryFormat::contiguous, MemoryFormat::channels_last,
                                          MemoryFormat::channels_last_3d, MemoryFormat::preserve};
  const std::int64_t number = whole_number(value);
  if (number < 1 || number > static_cast<std::int64_t>(kFormats.size()))
    return {UnreadArgument{"a memory format with number " + value.dump()}};
  return {kFormats.at(static_cast<std::size_t>(number - 1))};
}

ProgramArgument layout(const json& value) {
  constexpr int kStrided = 7;
  return {whole_number(value) == kStrided ? TensorLayout::strided : TensorLayout::other};
}

ProgramArgument device(const json& value) {
  DeviceName name{value.at("type").get<std::string>(), std::nullopt};
  if (value.contains("index") && !value.at("index").is_null())
    name.index = whole_number(value.at("index"));
  return {std::move(name)};
}

ProgramArgument subgraph(const json& value) {
  return {Subgraph{value.at("name").get<std::string>(),
                   std::make_shared<const ProgramGraph>(graph_from_json(value.at("graph")))}};
}

ProgramArgument none(const json& /*value*/) { return {}; }

ProgramArgument complex_number(const json& value) {
  return {std::complex<double>(number_of(value.at("real")), number_of(value.at("imag")))};
}

struct Kind {
  std::string_view name;
  ProgramArgument (*convert)(const json&);
};

constexpr auto kKinds = std::to_array<Kind>({
    {"as_none", none},
    {"as_tensor", tensor_of},
    {"as_tensors", [](const json& value) { return list_of(value, tensor_of); }},
    {"as_int", integer},
    {"as_ints", [](const json& value) { return list_of(value, integer); }},
    {"as_float", floating},
    {"as_floats", [](const json& value) { return list_of(value, floating); }},
    {"as_bool", boolean},
    {"as_bools", [](const json& value) { return list_of(value, boolean); }},
    {"as_string", text},
    {"as_strings", [](const json& value) { return list_of(value, text); }},
    {"as_sym_int", symbol_or_number},
    {"as_sym_ints", [](const json& value) { return list_of(value, symbol_or_number); }},
    {"as_sym_bool", symbol_or_number},
    {"as_sym_bools", [](const json& value) { return list_of(value, symbol_or_number); }},
    {"as_sym_float", symbol_or_number},
    {"as_sym_floats", [](const json& value) { return list_of(value, symbol_or_number); }},
    {"as_scalar_type", scalar_type},
    {"as_memory_format", memory_format},
    {"as_layout", layout},
    {"as_device", device},
    {"as_graph", subgraph},
    {"as_optional_tensor", symbol_or_number},
    {"as_optional_tensors", [](const json& value) { return list_of(value, symbol_or_number); }},
    {"as_complex", complex_number},
    {"as_nested_tensors", [](const json& value) { return list_of_lists(value, tensor_of); }},
    {"as_int_lists", [](const json& value) { return list_of_lists(value, integer); }},
});

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

/// "key,path,type;key,path,type", outermost first.
std::vector<ModuleFrame> module_stack(const std::string& text) {
  static constexpr std::string_view kNoStack = "_empty_nn_module_stack_from_metadata_hook";
  std::vector<ModuleFrame> frames;
  for (const std::string& entry : split(text, ';')) {
    const std::size_t first = entry.find(',');
    const std::size_t second =
        first == std::string::npos ? std::string::npos : entry.find(',', first + 1);
    if (second == std::string::npos || entry.substr(0, first) == kNoStack) return {};
    frames.push_back({entry.substr(0, first),
                      plain_path(entry.substr(first + 1, second - first - 1)),
                      entry.substr(second + 1)});
  }
  return frames;
}

ProgramNode node_from_json(const json& value) {
  ProgramNode node;
  node.target = value.at("target").get<std::string>();
  for (const json& input : list_at(value, "inputs")) {
    node.inputs.push_back(
        {input.at("name").get<std::string>(), argument_from_json(input.at("arg"))});
    const std::string& name = node.inputs.back().name;
    const auto same = std::count_if(node.inputs.begin(), node.inputs.end(),
                                    [&](const NamedArgument& each) { return each.name == name; });
    if (!name.empty() && same > 1)
      throw MalformedProgram(node.target + " is given `" + name + "` twice");
  }
  for (const json& output : list_at(value, "outputs"))
    node.outputs.push_back(argument_from_json(output));
  const json& metadata = object_at(value, "metadata");
  if (metadata.contains("nn_module_stack"))
    node.modules = module_stack(metadata.at("nn_module_stack").get<std::string>());
  if (metadata.contains("stack_trace"))
    node.source = source_of_trace(metadata.at("stack_trace").get<std::string>());
  return node;
}

}  // namespace

const json& list_at(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_array()) throw MalformedProgram("`" + std::string(key) + "` is no list");
  return value;
}

const json& object_at(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_object()) throw MalformedProgram("`" + std::string(key) + "` is no object");
  return value;
}

std::int64_t whole_number(const json& value) {
  const bool fits = !value.is_number_unsigned() ||
                    value.get<std::uint64_t>() <=
                        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() || !fits)
    throw MalformedProgram(shown(value) + " stands where a whole number should");
  return value.get<std::int64_t>();
}

ProgramArgument argument_from_json(const json& value) {
  const auto [kind, inner] = only_member(value);
  for (const Kind& known : kKinds) {
    if (known.name == kind) return known.convert(*inner);
  }
  return {UnreadArgument{kind.empty() ? shown(value) : kind}};
}

SymbolicSize size_of_json(const json& value) {
  const auto [kind, inner] = only_member(value);
  if (kind == "as_expr") return inner->at("expr_str").get<std::string>();
  if (kind != "as_int") throw MalformedProgram(shown(value) + " stands where a size should");
  return whole_number(*inner);
}

ProgramGraph graph_from_json(const json& value) {
  ProgramGraph graph;
  for (const json& input : list_at(value, "inputs"))
    graph.inputs.push_back(argument_from_json(input));
  for (const json& output : list_at(value, "outputs"))
    graph.outputs.push_back(argument_from_json(output));
  for (const json& node : list_at(value, "nodes")) graph.nodes.push_back(node_from_json(node));
  for (const auto& [name, meta] : object_at(value, "tensor_values").items()) {
    TensorMeta& tensor = graph.tensors[name];
    tensor.dtype = dtype_from_schema(whole_number(meta.at("dtype")));
    for (const json& size : list_at(meta, "sizes")) tensor.sizes.push_back(size_of_json(size));
  }
  for (ProgramNode& node : graph.nodes) {
    const auto* result =
        node.outputs.empty() ? nullptr : std::get_if<GraphValue>(&node.outputs.front().data);
    const auto meta = result == nullptr ? graph.tensors.end() : graph.tensors.find(result->name);
    if (meta != graph.tensors.end()) node.made = meta->second.dtype;
  }
  for (const auto& [name, number] : object_at(value, "sym_int_values").items())
    graph.integers.emplace(name, size_of_json(number));
  return graph;
}

std::optional<DType> dtype_from_schema(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::uint8;
    case 2:
      return DType::int8;
    case 3:
      return DType::int16;
    case 4:
      return DType::int32;
    case 5:
      return DType::int64;
    case 6:
      return DType::float16;
    case 7:
      return DType::float32;
    case 8:
      return DType::float64;
    case 10:
      return DType::complex64;
    case 11:
      return DType::complex128;
    case 12:
      return DType::boolean;
    case 13:
      return DType::bfloat16;
    case 28:
      return DType::uint16;
    case 29:
      return DType::float8_e4m3fn;
    case 30:
      return DType::float8_e5m2;
    case 31:
      return DType::float8_e4m3fnuz;
    case 32:
      return DType::float8_e5m2fnuz;
    default:
      return std::nullopt;
  }
}

std::string plain_path(const std::string& path) {
  std::string plain;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const bool slice = path.compare(at, 6, "slice(") == 0 && (at == 0 || path[at - 1] == '.');
    if (slice) {
      at = path.find(')', at);
      if (at == std::string::npos) break;
      ++at;  // the dot behind it
    } else if (path[at] == '@') {
      while (at + 1 < path.size() && std::isdigit(static_cast<unsigned char>(path[at + 1])) != 0)
        ++at;
    } else {
      plain += path[at];
    }
  }
  return plain;
}

std::string source_of_trace(const std::string& trace) {
  std::string source;
  std::string innermost;
  for (const std::string& line : split(trace, '\n')) {
    const std::size_t start = line.find("File \"");
    const std::size_t end = line.find("\", line ");
    if (start == std::string::npos || end == std::string::npos || end < start) continue;
    const std::string file = line.substr(start + 6, end - start - 6);
    const std::size_t digits = end + 8;
    const std::size_t stop = line.find_first_not_of("0123456789", digits);
    innermost =
        file.substr(file.find_last_of("/\\") + 1) + ":" + line.substr(digits, stop - digits);
    const bool of_torch = file.find("/torch/") != std::string::npos ||
                          file.rfind("torch/", 0) == 0 || file.rfind('<', 0) == 0;
    if (!of_torch) source = innermost;
  }
  return source.empty() ? innermost : source;
}

}  // namespace parity::model

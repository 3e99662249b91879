#include "golden_store/inputs_layout.h"

#include <bit>
#include <cstring>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

using tensor::DType;
using tensor::HostTensor;
using tensor::Value;

constexpr int kMaxDepth = 100;  // a reader recurses once per level
constexpr const char* kValues = "values";

/// The columns: one entry per node of the tree, a node before its children.
struct Nodes {
  std::vector<std::string> kind;
  std::vector<std::string> key;  ///< under which a dict holds the node
  std::vector<std::int64_t> children;
  std::vector<std::int64_t> integer;
  std::vector<double> real;
  std::vector<std::string> dtype;
};

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

class InputsWriter {
 public:
  InputsWriter(const H5::Group& group, const std::optional<run::Compression>& compression)
      : values_(create_group(group, kValues)), compression_(compression) {}

  void add(const Value& value, const std::string& key, int depth) {
    if (depth > kMaxDepth)
      throw Malformed(fmt::format("the inputs are nested more than {} levels deep", kMaxDepth));
    const std::size_t node = nodes_.kind.size();
    nodes_.kind.emplace_back(tensor::kind_name(value));
    nodes_.key.push_back(key);
    nodes_.children.push_back(0);
    nodes_.integer.push_back(0);
    nodes_.real.push_back(0);
    nodes_.dtype.emplace_back();
    std::visit(
        Overloaded{[](std::monostate) {},
                   [&](const HostTensor& tensor) {
                     nodes_.dtype[node] = tensor::name(tensor.dtype());
                     write_tensor(values_, numbered(node), tensor.view(), compression_);
                   },
                   [&](bool flag) { nodes_.integer[node] = flag ? 1 : 0; },
                   [&](std::int64_t integer) { nodes_.integer[node] = integer; },
                   [&](double real) { nodes_.real[node] = real; },
                   [&](const std::string& text) { add_text(node, text); },
                   [&](const tensor::ValueList& list) { add_items(node, list.items, depth); },
                   [&](const tensor::ValueTuple& tuple) { add_items(node, tuple.items, depth); },
                   [&](const tensor::ValueDict& dict) { add_entries(node, dict, depth); }},
        value.data);
  }

  void write_columns(const H5::Group& group) const {
    const TableWriter table(group);
    table.texts("kind", nodes_.kind);
    table.texts("key", nodes_.key);
    table.integers("children", nodes_.children);
    table.integers("integer", nodes_.integer);
    table.reals("real", nodes_.real);
    table.texts("dtype", nodes_.dtype);
  }

 private:
  /// Texts are bytes here: a prompt may hold any, trailing zero bytes included.
  void add_text(std::size_t node, const std::string& text) {
    write_tensor(
        values_, numbered(node),
        {DType::uint8, {static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text))},
        std::nullopt);
  }

  void add_items(std::size_t node, const std::vector<Value>& items, int depth) {
    nodes_.children[node] = static_cast<std::int64_t>(items.size());
    for (const Value& item : items) add(item, "", depth + 1);
  }

  void add_entries(std::size_t node, const tensor::ValueDict& dict, int depth) {
    nodes_.children[node] = static_cast<std::int64_t>(dict.items.size());
    for (const auto& [key, item] : dict.items) add(item, key, depth + 1);
  }

  H5::Group values_;
  std::optional<run::Compression> compression_;
  Nodes nodes_;
};

class InputsReader {
 public:
  InputsReader(const H5::Group& group, std::string where, std::uint64_t file_bytes)
      : where_(std::move(where)), file_bytes_(file_bytes), values_(open_group(group, kValues)) {
    const TableReader table(group, where_, "kind", file_bytes);
    nodes_ = {table.texts("kind"),       table.texts("key"),  table.integers("children"),
              table.integers("integer"), table.reals("real"), table.texts("dtype")};
  }

  [[nodiscard]] Value read_all() {
    Value root = next(0);
    if (next_ != nodes_.kind.size())
      throw Malformed(fmt::format("{} hold more than one value", where_));
    return root;
  }

 private:
  Value next(int depth) {
    if (next_ >= nodes_.kind.size() || depth > kMaxDepth)
      throw Malformed(fmt::format("{} are cut off", where_));
    const std::size_t node = next_++;
    const std::string& kind = nodes_.kind[node];
    if (kind == "list") return {tensor::ValueList{items(node, depth)}};
    if (kind == "tuple") return {tensor::ValueTuple{items(node, depth)}};
    if (kind == "dict") return {entries(node, depth)};
    if (nodes_.children[node] != 0)
      throw Malformed(fmt::format("{} hold a scalar with children", where_));
    if (kind == "none") return {};
    if (kind == "tensor") return {read_tensor(dataset(node), dtype(node))};
    if (kind == "bool") return {nodes_.integer[node] != 0};
    if (kind == "int") return {nodes_.integer[node]};
    if (kind == "float") return {nodes_.real[node]};
    if (kind == "str") return {text(node)};
    throw Malformed(fmt::format("{} hold the unknown kind {}", where_, quoted(kind)));
  }

  /// Number of children, proved to be no more than there are nodes left.
  std::size_t child_count(std::size_t node) const {
    const std::int64_t count = nodes_.children[node];
    if (count < 0 || static_cast<std::uint64_t>(count) > nodes_.kind.size() - next_) {
      throw Malformed(fmt::format("{} are cut off", where_));
    }
    return static_cast<std::size_t>(count);
  }

  std::vector<Value> items(std::size_t node, int depth) {
    std::vector<Value> values;
    for (std::size_t left = child_count(node); left > 0; --left) values.push_back(next(depth + 1));
    return values;
  }

  tensor::ValueDict entries(std::size_t node, int depth) {
    tensor::ValueDict dict;
    std::set<std::string> keys;
    for (std::size_t left = child_count(node); left > 0; --left) {
      if (next_ >= nodes_.key.size() || !keys.insert(nodes_.key[next_]).second) {
        throw Malformed(fmt::format("{} hold a dict with a key twice", where_));
      }
      std::string key = nodes_.key[next_];
      dict.items.emplace_back(std::move(key), next(depth + 1));
    }
    return dict;
  }

  CheckedDataSet dataset(std::size_t node) const {
    return {values_, numbered(node), file_bytes_, fmt::format("value {} of {}", node, where_)};
  }

  DType dtype(std::size_t node) const {
    const std::optional<DType> found = tensor::dtype_from_name(nodes_.dtype[node]);
    if (!found)
      throw Malformed(
          fmt::format("{} name the unknown dtype {}", where_, quoted(nodes_.dtype[node])));
    return *found;
  }

  std::string text(std::size_t node) const {
    const HostTensor bytes = read_tensor(dataset(node), DType::uint8);
    return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.bytes().size()};
  }

  std::string where_;
  std::uint64_t file_bytes_;
  H5::Group values_;
  Nodes nodes_;
  std::size_t next_ = 0;
};

}  // namespace

void write_inputs(const H5::Group& group, const Value& inputs,
                  const std::optional<run::Compression>& compression) {
  InputsWriter writer(group, compression);
  writer.add(inputs, "", 0);
  writer.write_columns(group);
}

Value read_inputs(const H5::Group& group, const std::string& where, std::uint64_t file_bytes) {
  return InputsReader(group, where, file_bytes).read_all();
}

}  // namespace parity::golden_store

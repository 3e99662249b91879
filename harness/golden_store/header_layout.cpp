#include "golden_store/header_layout.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

constexpr const char* kNotes = "notes";

void write_weights(const H5::Group& model, const std::vector<run::WeightDigest>& weights) {
  const H5::Group group(create_group(model, "weights"));
  const TableWriter table(group);
  std::vector<std::string> names;
  std::vector<std::string> dtypes;
  std::vector<tensor::Shape> shapes;
  std::vector<tensor::Digest> digests;
  for (const run::WeightDigest& weight : weights) {
    names.push_back(weight.name);
    dtypes.emplace_back(tensor::name(weight.dtype));
    shapes.push_back(weight.shape);
    digests.push_back(weight.digest);
  }
  table.texts("name", names);
  table.texts("dtype", dtypes);
  table.shapes(shapes);
  table.digests("digest", digests);
}

std::vector<run::WeightDigest> read_weights(const H5::Group& model, std::uint64_t file_bytes) {
  const TableReader table(open_group(model, "weights"), "model/weights", "name", file_bytes);
  std::vector<std::string> names = table.texts("name");
  const std::vector<std::string> dtypes = table.texts("dtype");
  std::vector<tensor::Shape> shapes = table.shapes();
  const std::vector<tensor::Digest> digests = table.digests("digest");
  std::vector<run::WeightDigest> weights;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::optional<tensor::DType> dtype = tensor::dtype_from_name(dtypes[row]);
    if (!dtype)
      throw Malformed(
          fmt::format("{} names the unknown dtype {}", table.where(), quoted(dtypes[row])));
    if (row > 0 && names[row] <= weights.back().name) {
      throw Malformed(fmt::format("{} is not sorted by name", table.where()));
    }
    weights.push_back({std::move(names[row]), *dtype, std::move(shapes[row]), digests[row]});
  }
  return weights;
}

void write_model(const H5::Group& root, const run::ModelDescription& model) {
  const H5::Group group(create_group(root, "model"));
  const TableWriter table(group);
  table.texts("file_name", {model.file_name});
  table.texts("kind", {model.kind});
  table.integers("parameter_count", {static_cast<std::int64_t>(model.parameter_count)});
  table.digests("all_weights", {model.all_weights});
  write_weights(group, model.weights);
}

run::ModelDescription read_model(const H5::Group& root, std::uint64_t file_bytes) {
  const H5::Group group = open_group(root, "model");
  const TableReader table(group, "model", "file_name", file_bytes);
  if (table.rows() != 1) throw Malformed("it describes another number of models than one");
  run::ModelDescription model;
  model.file_name = table.texts("file_name").front();
  model.kind = table.texts("kind").front();
  const std::int64_t parameters = table.integers("parameter_count").front();
  if (parameters < 0) throw Malformed("its model has a negative number of parameters");
  model.parameter_count = static_cast<std::uint64_t>(parameters);
  model.all_weights = table.digests("all_weights").front();
  model.weights = read_weights(group, file_bytes);
  return model;
}

void write_provenance(const H5::Group& root, const run::Provenance& provenance) {
  const H5::Group group(create_group(root, "provenance"));
  const TableWriter table(group);
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const auto& [key, value] : provenance.facts()) {
    keys.push_back(key);
    values.push_back(value);
  }
  table.texts("key", keys);
  table.texts("value", values);
}

run::Provenance read_provenance(const H5::Group& root, std::uint64_t file_bytes) {
  const TableReader table(open_group(root, "provenance"), "provenance", "key", file_bytes);
  std::vector<std::string> keys = table.texts("key");
  std::vector<std::string> values = table.texts("value");
  std::vector<std::string> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw Malformed("its provenance has a key twice");
  }
  run::Provenance provenance;
  for (std::size_t row = 0; row < keys.size(); ++row)
    provenance.set(keys[row], std::move(values[row]));
  return provenance;
}

}  // namespace

void write_header(const H5::Group& root, const run::RecordingHeader& header) {
  write_model(root, header.model);
  write_provenance(root, header.provenance);
  write_notes(root, header.notes);
}

void write_notes(const H5::Group& parent, const std::vector<std::string>& notes) {
  TableWriter(parent).texts(kNotes, notes);
}

run::RecordingHeader read_header(const H5::Group& root, std::uint64_t file_bytes) {
  run::RecordingHeader header;
  header.model = read_model(root, file_bytes);
  header.provenance = read_provenance(root, file_bytes);
  header.notes = read_notes(root, "the file", file_bytes);
  return header;
}

std::vector<std::string> read_notes(const H5::Group& parent, const std::string& where,
                                    std::uint64_t file_bytes) {
  return TableReader(parent, where, kNotes, file_bytes).texts(kNotes);
}

}  // namespace parity::golden_store

#include "pipeline/compare/inspect.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "compare/formats.h"
#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/shard/part_remark.h"
#include "run/glob.h"
#include "tensor/value.h"

namespace parity::pipeline {
namespace {

constexpr std::size_t kFirstValues = 8;

std::string scalar_text(const tensor::Value& value) {
  return std::visit(
      [](const auto& data) -> std::string {
        using T = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<T, bool>) return data ? " true" : " false";
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>)
          return fmt::format(" {}", data);
        if constexpr (std::is_same_v<T, std::string>) return " '" + data + "'";
        return "";
      },
      value.data);
}

/// One line per tensor or scalar: "0.input_ids: int64 1x40".
void describe_value(const tensor::Value& value, const std::string& name,
                    std::vector<std::string>& lines) {
  const auto below = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  const std::string label = name.empty() ? "" : name + ": ";
  if (const auto* tensor = std::get_if<tensor::HostTensor>(&value.data)) {
    lines.push_back(label + std::string(tensor::name(tensor->dtype())) + " " +
                    tensor::to_string(tensor->shape()));
  } else if (const auto* dict = std::get_if<tensor::ValueDict>(&value.data)) {
    for (const auto& [key, item] : dict->items) describe_value(item, below(key), lines);
  } else if (const auto* list = std::get_if<tensor::ValueList>(&value.data)) {
    for (std::size_t i = 0; i < list->items.size(); ++i)
      describe_value(list->items[i], below(std::to_string(i)), lines);
  } else if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data)) {
    for (std::size_t i = 0; i < tuple->items.size(); ++i) {
      describe_value(tuple->items[i], below(std::to_string(i)), lines);
    }
  } else {
    lines.push_back(label + std::string(tensor::kind_name(value)) + scalar_text(value));
  }
}

report::TapValues values_of(const tensor::TensorView& tensor) {
  report::TapValues values;
  double sum = 0;
  double scaled_square_sum = 0;  // of values over `largest`, so that no square overflows
  double largest = 0;
  // A complex element counts as its two parts.
  const tensor::DType part = tensor::component(tensor.dtype);
  const compare::ValueReader read = compare::value_reader(part);
  const std::size_t count = tensor.bytes.size() / tensor::size_bytes(part);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = read(tensor.bytes.data() + i * tensor::size_bytes(part));
    if (i < kFirstValues) values.first.push_back(value);
    if (std::isnan(value)) {
      ++values.nan;
    } else if (std::isinf(value)) {
      ++values.inf;
    } else {
      values.min = values.finite == 0 ? value : std::min(values.min, value);
      values.max = values.finite == 0 ? value : std::max(values.max, value);
      ++values.finite;
      sum += value;
      const double size = std::abs(value);
      if (size > largest) {
        scaled_square_sum *= (largest / size) * (largest / size);
        largest = size;
      }
      if (largest > 0) scaled_square_sum += (value / largest) * (value / largest);
    }
  }
  if (values.finite > 0) {
    values.mean = sum / static_cast<double>(values.finite);
    values.rms = largest * std::sqrt(scaled_square_sum / static_cast<double>(values.finite));
  }
  return values;
}

bool wanted(const run::TapId& id, const std::string& layer) {
  return layer.empty() || run::names_tap(layer, id);
}

report::InspectedCase inspect_case(const golden_store::GoldenReader& golden, std::size_t case_index,
                                   const std::string& layer) {
  const run::CaseRecord& record = golden.cases()[case_index];
  report::InspectedCase result;
  result.name = record.name;
  const tensor::Value inputs = golden.read_inputs(case_index);
  describe_value(inputs, "", result.inputs);
  if (const auto fed = fed_tokens(inputs, record))
    result.decode = report::InspectedDecode{fed->steps, fed->rows};
  for (std::size_t i = 0; i < record.taps.size(); ++i) {
    const run::TapRecord& tap = record.taps[i];
    if (!wanted(tap.id, layer)) continue;
    report::InspectedTap inspected{tap, 0, std::nullopt};
    if (tap.mode != run::StoreMode::digest) {
      inspected.stored_bytes =
          tensor::element_count(run::stored_shape(tap)) * tensor::size_bytes(tap.dtype);
      if (!layer.empty()) inspected.values = values_of(golden.read_tap(case_index, i).view());
    }
    result.taps.push_back(std::move(inspected));
  }
  result.skipped = record.skipped;
  result.notes = record.notes;
  if (record.noise) {
    result.noise = report::InspectedNoise{record.noise->repeats, {}};
    for (const run::NoisyTap& noisy : record.noise->taps)
      result.noise->differing.push_back(record.taps[noisy.tap].id);
  }
  if (record.truth) {
    result.truth = report::InspectedTruth{std::string(tensor::name(record.truth->dtype)),
                                          record.truth->taps.size(), record.truth->notes};
  }
  return result;
}

}  // namespace

report::Inspection inspect(const std::filesystem::path& path, const std::string& layer) {
  const golden_store::GoldenReader golden(path);
  report::Inspection inspection;
  inspection.file = path.string();
  inspection.file_bytes = std::filesystem::file_size(path);
  inspection.header = golden.header();
  if (const std::string text = part_remark(golden); !text.empty())
    inspection.header.notes.push_back(text);
  bool any = false;
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    inspection.cases.push_back(inspect_case(golden, i, layer));
    any = any || !inspection.cases.back().taps.empty();
  }
  if (!any && !layer.empty()) {
    throw Error(ErrorKind::usage, "no tap of " + path.string() + " matches --layer " + layer +
                                      "; `parity inspect` without it lists them all");
  }
  return inspection;
}

}  // namespace parity::pipeline

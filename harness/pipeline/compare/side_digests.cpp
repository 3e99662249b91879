#include "pipeline/compare/side_digests.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

/// Fields with their lengths in front, so that no two recordings give the same bytes.
class Fields {
 public:
  void add(std::string_view field) {
    const std::string length = std::to_string(field.size()) + ":";
    stream_.update(std::as_bytes(std::span(length)));
    stream_.update(std::as_bytes(std::span(field)));
  }
  void add(const tensor::HostTensor& tensor) {
    add(tensor::name(tensor.dtype()));
    add(tensor::to_string(tensor.shape()));
    stream_.update(tensor.bytes());
  }
  [[nodiscard]] std::string hex() const { return tensor::to_hex(stream_.finish()); }

 private:
  tensor::DigestStream stream_;
};

void add_value(Fields& fields, const tensor::Value& value) {
  fields.add(tensor::kind_name(value));
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, tensor::HostTensor> ||
                      std::is_same_v<Data, std::string>) {
          fields.add(data);
        } else if constexpr (std::is_same_v<Data, tensor::ValueDict>) {
          fields.add(std::to_string(data.items.size()));
          for (const auto& [key, item] : data.items) {
            fields.add(key);
            add_value(fields, item);
          }
        } else if constexpr (std::is_same_v<Data, tensor::ValueList> ||
                             std::is_same_v<Data, tensor::ValueTuple>) {
          fields.add(std::to_string(data.items.size()));
          for (const tensor::Value& item : data.items) add_value(fields, item);
        } else if constexpr (std::is_same_v<Data, double>) {
          fields.add(std::to_string(std::bit_cast<std::uint64_t>(data)));
        } else if constexpr (!std::is_same_v<Data, std::monostate>) {
          fields.add(std::to_string(data));
        }
      },
      value.data);
}

void add_taps(Fields& fields, const std::vector<run::TapRecord>& taps) {
  fields.add(std::to_string(taps.size()));
  for (const run::TapRecord& tap : taps) {
    fields.add(run::to_string(tap.id));
    fields.add(run::name(tap.id.kind));
    fields.add(tensor::name(tap.dtype));
    fields.add(tensor::to_string(tap.shape));
    fields.add(tensor::to_hex(tap.digest));
    fields.add(run::name(tap.mode));
    fields.add(std::to_string(tap.rows.size()));
    for (const std::int64_t row : tap.rows) fields.add(std::to_string(row));
  }
}

std::string digest_of_recording(const golden_store::GoldenReader& golden) {
  Fields fields;
  for (const run::CaseRecord& item : golden.cases()) {
    fields.add(item.name);
    add_taps(fields, item.taps);
    if (item.truth) add_taps(fields, item.truth->taps);
  }
  return fields.hex();
}

std::string digest_of_inputs(const golden_store::GoldenReader& golden) {
  Fields fields;
  for (std::size_t i = 0; i < golden.cases().size(); ++i) {
    fields.add(golden.cases()[i].name);
    add_value(fields, golden.read_inputs(i));
  }
  return fields.hex();
}

}  // namespace

report::SideDigests digests_of(const run::ModelDescription& model) {
  // Without any weight there is nothing that could be told apart.
  return {"", "", model.weights.empty() ? std::string() : tensor::to_hex(model.all_weights)};
}

report::SideDigests digests_of(const golden_store::GoldenReader& golden) {
  return {digest_of_recording(golden), digest_of_inputs(golden),
          digests_of(golden.header().model).weights};
}

}  // namespace parity::pipeline

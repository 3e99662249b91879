#include "pipeline/record/field_digest.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

namespace parity::pipeline {

void FieldDigest::add(std::string_view field) {
  const std::string length = std::to_string(field.size()) + ":";
  stream_.update(std::as_bytes(std::span(length)));
  stream_.update(std::as_bytes(std::span(field)));
}

void FieldDigest::add(const tensor::HostTensor& tensor) {
  add(tensor::name(tensor.dtype()));
  add(tensor::to_string(tensor.shape()));
  stream_.update(tensor.bytes());
}

void FieldDigest::add(const tensor::Value& value) {
  add(tensor::kind_name(value));
  std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, tensor::HostTensor>) {
          add(data);
        } else if constexpr (std::is_same_v<Data, std::string>) {
          add(std::string_view(data));
        } else if constexpr (std::is_same_v<Data, tensor::ValueDict>) {
          add(std::to_string(data.items.size()));
          for (const auto& [key, item] : data.items) {
            add(std::string_view(key));
            add(item);
          }
        } else if constexpr (std::is_same_v<Data, tensor::ValueList> ||
                             std::is_same_v<Data, tensor::ValueTuple>) {
          add(std::to_string(data.items.size()));
          for (const tensor::Value& item : data.items) add(item);
        } else if constexpr (std::is_same_v<Data, double>) {
          add(std::to_string(std::bit_cast<std::uint64_t>(data)));
        } else if constexpr (!std::is_same_v<Data, std::monostate>) {
          add(std::to_string(data));
        }
      },
      value.data);
}

}  // namespace parity::pipeline

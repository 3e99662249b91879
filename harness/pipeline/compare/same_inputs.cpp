#include "pipeline/compare/same_inputs.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace parity::pipeline {
namespace {

bool same_items(const std::vector<tensor::Value>& one, const std::vector<tensor::Value>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_inputs);
}

bool same_tensor(const tensor::HostTensor& one, const tensor::HostTensor& other) {
  return one.dtype() == other.dtype() && one.shape() == other.shape() &&
         std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin(),
                    other.bytes().end());
}

}  // namespace

bool same_inputs(const tensor::Value& one, const tensor::Value& other) {
  if (one.data.index() != other.data.index()) return false;
  return std::visit(
      [&](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        const Data& wanted = std::get<Data>(other.data);
        if constexpr (std::is_same_v<Data, tensor::HostTensor>) {
          return same_tensor(data, wanted);
        } else if constexpr (std::is_same_v<Data, tensor::ValueDict>) {
          return std::equal(data.items.begin(), data.items.end(), wanted.items.begin(),
                            wanted.items.end(), [](const auto& left, const auto& right) {
                              return left.first == right.first &&
                                     same_inputs(left.second, right.second);
                            });
        } else if constexpr (std::is_same_v<Data, tensor::ValueList> ||
                             std::is_same_v<Data, tensor::ValueTuple>) {
          return same_items(data.items, wanted.items);
        } else if constexpr (std::is_same_v<Data, double>) {
          return std::bit_cast<std::uint64_t>(data) == std::bit_cast<std::uint64_t>(wanted);
        } else {
          return data == wanted;
        }
      },
      one.data);
}

}  // namespace parity::pipeline

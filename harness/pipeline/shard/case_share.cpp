#include "pipeline/shard/case_share.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <variant>

namespace parity::pipeline {

std::uint64_t size_of(const tensor::Value& inputs) {
  return std::visit(
      [](const auto& data) -> std::uint64_t {
        using Data = std::decay_t<decltype(data)>;
        std::uint64_t size = 0;
        if constexpr (std::is_same_v<Data, tensor::HostTensor>) {
          size = data.bytes().size();
        } else if constexpr (std::is_same_v<Data, tensor::ValueDict>) {
          for (const auto& [key, item] : data.items) size += size_of(item);
        } else if constexpr (std::is_same_v<Data, tensor::ValueList> ||
                             std::is_same_v<Data, tensor::ValueTuple>) {
          for (const tensor::Value& item : data.items) size += size_of(item);
        }
        return size;
      },
      inputs.data);
}

std::vector<std::size_t> share_of_cases(const std::vector<std::uint64_t>& sizes,
                                        std::size_t shard_count) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return sizes[one] > sizes[other]; });
  std::vector<std::uint64_t> loads(shard_count, 0);
  std::vector<std::size_t> share(sizes.size());
  for (const std::size_t position : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    share[position] = static_cast<std::size_t>(least - loads.begin());
    *least += std::max<std::uint64_t>(sizes[position], 1);  // no case is free
  }
  return share;
}

}  // namespace parity::pipeline

#include "model/torch/logits.h"

#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include <ATen/ATen.h>

#include "model/torch/bridge.h"

namespace parity::model {
namespace {

void collect_tensors(const tensor::Value& value, std::vector<tensor::HostTensor>& tensors) {
  if (const auto* host = std::get_if<tensor::HostTensor>(&value.data)) {
    tensors.push_back(*host);
  } else if (const auto* list = std::get_if<tensor::ValueList>(&value.data)) {
    for (const tensor::Value& item : list->items) collect_tensors(item, tensors);
  } else if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data)) {
    for (const tensor::Value& item : tuple->items) collect_tensors(item, tensors);
  } else if (const auto* dict = std::get_if<tensor::ValueDict>(&value.data)) {
    for (const auto& [key, item] : dict->items) collect_tensors(item, tensors);
  }
}

bool is_token_ids(const tensor::HostTensor& host) {
  return (host.dtype() == tensor::DType::int64 || host.dtype() == tensor::DType::int32) &&
         !host.shape().empty() && !host.bytes().empty();
}

bool last_part_is(std::string_view port, std::string_view name) {
  const std::size_t dot = port.rfind('.');
  return (dot == std::string_view::npos ? port : port.substr(dot + 1)) == name;
}

}  // namespace

bool looks_like_logits(const run::TapId& output, const tensor::Shape& shape,
                       const tensor::Value& inputs) {
  if (output.kind != run::TapKind::output || shape.empty()) return false;
  if (last_part_is(output.port, "logits")) return true;
  const tensor::Shape positions(shape.begin(), shape.end() - 1);
  std::vector<tensor::HostTensor> tensors;
  collect_tensors(inputs, tensors);
  bool found = false;
  for (const tensor::HostTensor& host : tensors) {
    if (!is_token_ids(host) || host.shape() != positions) continue;
    const at::Tensor ids = to_torch(host);
    // An id beyond the last dimension means that this dimension is no vocabulary.
    if (ids.max().item<std::int64_t>() >= shape.back() || ids.min().item<std::int64_t>() < 0)
      return false;
    found = true;
  }
  return found;
}

}  // namespace parity::model

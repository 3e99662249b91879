#include "model/torch/operator_selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace parity::model {
namespace {

const c10::TensorImpl* identity(const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl(); }

/// Of the storage, or of the tensor where it has none.
const void* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? static_cast<const void*>(tensor.storage().unsafeGetStorageImpl())
                              : static_cast<const void*>(identity(tensor));
}

/// The bytes of a storage between the first and the last element of a tensor.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Extent extent_of(const at::Tensor& tensor) {
  if (!tensor.has_storage() || tensor.layout() != c10::kStrided) return {0, 1};
  if (tensor.numel() == 0) return {};
  std::int64_t last = tensor.storage_offset();
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis)
    last += (tensor.size(axis) - 1) * tensor.stride(axis);
  return {tensor.storage_offset() * tensor.element_size(), (last + 1) * tensor.element_size()};
}

class Memory {
 public:
  void add(const at::Tensor& tensor) { extents_[storage_of(tensor)].push_back(extent_of(tensor)); }
  [[nodiscard]] bool overlaps(const at::Tensor& tensor) const {
    const auto found = extents_.find(storage_of(tensor));
    if (found == extents_.end()) return false;
    const Extent mine = extent_of(tensor);
    return std::any_of(found->second.begin(), found->second.end(), [&](const Extent& other) {
      return mine.begin < other.end && other.begin < mine.end;
    });
  }

 private:
  std::map<const void*, std::vector<Extent>> extents_;
};

/// The same values in the same memory, though another handle.
bool is_same_view(const at::Tensor& one, const at::Tensor& other) {
  return one.numel() > 0 && storage_of(one) == storage_of(other) &&
         one.storage_offset() == other.storage_offset() && one.sizes() == other.sizes() &&
         one.strides() == other.strides() && one.scalar_type() == other.scalar_type();
}

bool hands_out_memory_alone(const RecordedCall& call) {
  static const std::set<std::string> kNames = {"aten::empty",
                                               "aten::empty_like",
                                               "aten::empty_strided",
                                               "aten::empty_permuted",
                                               "aten::new_empty",
                                               "aten::new_empty_strided",
                                               "aten::_empty_affine_quantized"};
  return kNames.count(call.schema.name()) != 0;
}

template <typename Visit>
void each_written(const RecordedCall& call, const Visit& visit) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (is_written(call.schema.arguments()[i])) each_tensor(call.inputs[i], visit);
  }
  each_tensor(call.outputs, [&](const at::Tensor& output) {
    if (is_fresh(output, call.inputs)) visit(output);
  });
}

/// The model's own handle of what was tapped: the last that a call returned or was given.
at::Tensor handle_of(const at::Tensor& tapped, const std::vector<RecordedCall>& calls) {
  for (std::size_t i = calls.size(); i-- > 0;) {
    for (const std::vector<c10::IValue>* values : {&calls[i].outputs, &calls[i].inputs}) {
      at::Tensor found;
      each_tensor(*values, [&](const at::Tensor& tensor) {
        if (!found.defined() && is_same_view(tensor, tapped)) found = tensor;
      });
      if (found.defined()) return found;
    }
  }
  return tapped;
}

std::vector<RecordedCall> needed_for(const at::Tensor& result,
                                     const std::vector<RecordedCall>& calls) {
  std::set<const c10::TensorImpl*> handles = {identity(result)};
  Memory memory;
  memory.add(result);
  std::vector<RecordedCall> kept;
  for (std::size_t i = calls.size(); i-- > 0;) {
    const RecordedCall& call = calls[i];
    if (hands_out_memory_alone(call)) continue;
    bool computes = false;
    bool writes = false;
    bool returns = false;
    each_written(call, [&](const at::Tensor& tensor) {
      computes = true;
      writes = writes || memory.overlaps(tensor);
    });
    each_tensor(call.outputs, [&](const at::Tensor& output) {
      returns = returns || handles.count(identity(output)) != 0;
    });
    if (!writes && !returns) continue;
    kept.push_back(call);
    each_tensor(call.inputs, [&](const at::Tensor& input) {
      handles.insert(identity(input));
      if (computes) memory.add(input);  // a view reads nothing
    });
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

RecordedCall view_call(const at::Tensor& base, const at::Tensor& view) {
  static const c10::OperatorHandle as_strided =
      c10::Dispatcher::singleton().findSchemaOrThrow("aten::as_strided", "");
  const std::vector<c10::IValue> arguments = {base, view.sizes().vec(), view.strides().vec(),
                                              view.storage_offset()};
  return {as_strided.schema(), arguments, {view}, arguments, {view}, {}, Caller::replay};
}

/// Makes every handle that calls are given one that an earlier call returned or an input of its
/// own: views of one memory, of which one is written to, must be views of one input.
class Rebasing {
 public:
  explicit Rebasing(std::vector<RecordedCall> calls) : calls_(std::move(calls)) {}

  [[nodiscard]] std::vector<RecordedCall> with(const at::Tensor& result) {
    find_written(result);
    for (RecordedCall& call : calls_) {
      each_tensor(call.inputs, [&](const at::Tensor& input) { provide(input); });
      each_tensor(call.outputs, [&](const at::Tensor& output) {
        known_.insert(identity(output));
        if (is_fresh(output, call.inputs)) owners_.emplace(storage_of(output), output);
      });
      rebased_.push_back(std::move(call));
    }
    provide(result);
    return std::move(rebased_);
  }

 private:
  struct Written {
    at::Tensor storage;  ///< all of it in one dimension, as it was before the first write
    std::set<const c10::TensorImpl*> handles_from_outside;
  };

  void find_written(const at::Tensor& result) {
    std::set<const c10::TensorImpl*> returned;
    std::set<const void*> own;
    for (const RecordedCall& call : calls_) {
      for (std::size_t i = 0; i < call.inputs.size(); ++i) {
        if (!is_written(call.schema.arguments()[i])) continue;
        each_tensor(call.inputs[i], [&](const at::Tensor& input) {
          if (own.count(storage_of(input)) != 0 || !call.given[i].isTensor()) return;
          const at::Tensor& given = call.given[i].toTensor();
          if (given.layout() != c10::kStrided) return;
          const auto elements =
              static_cast<std::int64_t>(given.storage().nbytes()) / given.element_size();
          written_.emplace(storage_of(input), Written{given.as_strided({elements}, {1}, 0), {}});
        });
      }
      each_tensor(call.outputs, [&](const at::Tensor& output) {
        if (is_fresh(output, call.inputs)) own.insert(storage_of(output));
      });
    }
    const auto count = [&](const at::Tensor& tensor) {
      const auto found = written_.find(storage_of(tensor));
      if (found != written_.end() && returned.count(identity(tensor)) == 0)
        found->second.handles_from_outside.insert(identity(tensor));
    };
    for (const RecordedCall& call : calls_) {
      each_tensor(call.inputs, count);
      each_tensor(call.outputs,
                  [&](const at::Tensor& output) { returned.insert(identity(output)); });
    }
    count(result);
  }

  void provide(const at::Tensor& tensor) {
    if (!known_.insert(identity(tensor)).second || tensor.layout() != c10::kStrided) return;
    if (const auto owner = owners_.find(storage_of(tensor)); owner != owners_.end()) {
      if (owner->second.scalar_type() == tensor.scalar_type())
        rebased_.push_back(view_call(owner->second, tensor));
      return;
    }
    const auto written = written_.find(storage_of(tensor));
    if (written == written_.end() || written->second.handles_from_outside.size() < 2) return;
    const at::Tensor& storage = written->second.storage;
    if (storage.scalar_type() == tensor.scalar_type())
      rebased_.push_back(view_call(storage, tensor));
  }

  std::vector<RecordedCall> calls_;
  std::vector<RecordedCall> rebased_;
  std::set<const c10::TensorImpl*> known_;
  std::map<const void*, at::Tensor> owners_;  ///< by storage, what a call returned
  std::map<const void*, Written> written_;    ///< by storage that came from outside
};

}  // namespace

OperatorSelection select_for(const at::Tensor& tapped, const std::vector<RecordedCall>& calls) {
  const at::Tensor result = handle_of(tapped, calls);
  std::vector<RecordedCall> needed = needed_for(result, calls);
  if (needed.empty()) return {};
  return {Rebasing(std::move(needed)).with(result), result};
}

}  // namespace parity::model

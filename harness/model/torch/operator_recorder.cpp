#include "model/torch/operator_recorder.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "error/error.h"
#include "model/torch/source_place.h"

namespace parity::model {

struct OperatorRecorder::State {
  at::CallbackHandle handle = 0;
  bool listening = false;
  int depth = 0;
  std::vector<RecordedCall> calls;
  std::exception_ptr failure;
};

namespace {

thread_local OperatorRecorder::State* active = nullptr;

struct OpenCall final : at::ObserverContext {
  bool recorded = false;
};

/// The innermost place of the model's own code.
std::string source_line() {
  if (const std::string* place = SourcePlace::current()) return *place;
  for (const auto& entry : torch::jit::currentCallstack()) {
    if (const auto place = entry.range.file_line_col()) {
      const auto& [file, line, column] = *place;
      return std::filesystem::path(file).filename().string() + ":" + std::to_string(line);
    }
  }
  return {};
}

/// Whether two indices may share an element: sorted by stride, each dimension must step over all of
/// the ones before it.
bool may_overlap_itself(const at::Tensor& tensor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, size
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
    if (tensor.size(axis) > 1) dimensions.emplace_back(tensor.stride(axis), tensor.size(axis));
  }
  std::sort(dimensions.begin(), dimensions.end());
  std::int64_t last = 0;
  for (const auto& [stride, size] : dimensions) {
    if (stride <= last) return true;
    last += stride * (size - 1);
  }
  return false;
}

/// One element stands for all of an expanded dimension, and gaps between elements stay.
at::Tensor with_its_strides(const at::Tensor& tensor) {
  if (tensor.layout() != c10::kStrided || tensor.is_quantized() || tensor.numel() == 0)
    return tensor.clone();
  at::Tensor compact = tensor;
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
    if (tensor.stride(axis) == 0) compact = compact.narrow(axis, 0, 1);
  }
  if (may_overlap_itself(compact)) return tensor.clone();
  at::Tensor copy = at::empty_strided(compact.sizes(), compact.strides(), compact.options());
  copy.copy_(compact);
  return copy.expand(tensor.sizes());
}

at::Tensor with_its_storage(const at::Tensor& tensor) {
  if (tensor.layout() != c10::kStrided || tensor.is_quantized()) return tensor.clone();
  const auto elements =
      static_cast<std::int64_t>(tensor.storage().nbytes()) / tensor.element_size();
  const at::Tensor copy = tensor.as_strided({elements}, {1}, 0).clone();
  return copy.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

template <typename Copy>
c10::IValue copied(const c10::IValue& value, const Copy& copy) {
  if (value.isTensor() && value.toTensor().defined()) return copy(value.toTensor());
  if (!value.isList()) return value;
  const auto list = value.toListRef();
  c10::impl::GenericList copies(value.type()->expectRef<c10::ListType>().getElementType());
  for (const c10::IValue& element : list) copies.push_back(copied(element, copy));
  return copies;
}

/// A boxed call hands over its whole stack, of which its own values are the last.
template <typename Stack>
std::vector<c10::IValue> last_of(const Stack& stack, std::size_t count) {
  std::vector<c10::IValue> values;
  for (std::size_t i = stack.size() - std::min(count, stack.size()); i < stack.size(); ++i)
    values.push_back(stack[i]);
  return values;
}

void record(const at::RecordFunction& function, OpenCall& open) {
  const bool outermost = active->depth++ == 0;
  const std::optional<c10::FunctionSchema> schema = function.operator_schema();
  if (!active->listening || !outermost || !schema) return;
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  RecordedCall call{
      *schema, last_of(function.inputs(), schema->arguments().size()), {}, {}, {}, source_line()};
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const bool written = is_written(schema->arguments()[i]);
    call.given.push_back(copied(call.inputs[i], written ? with_its_storage : with_its_strides));
  }
  active->calls.push_back(std::move(call));
  open.recorded = true;
}

/// The library swallows what a callback throws: it is kept for take().
std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function) {
  auto open = std::make_unique<OpenCall>();
  if (active == nullptr) return open;
  try {
    record(function, *open);
  } catch (...) {
    active->failure = std::current_exception();
  }
  return open;
}

void record_outputs(const at::RecordFunction& function, RecordedCall& call) {
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  const auto& returns = call.schema.returns();
  call.outputs = last_of(function.outputs(), returns.size());
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const bool written = is_written(returns[i]);
    call.made.push_back(copied(call.outputs[i], [&](const at::Tensor& output) {
      return written || is_fresh(output, call.inputs) ? with_its_strides(output) : output;
    }));
  }
}

void on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (active == nullptr) return;
  --active->depth;
  if (context == nullptr || !static_cast<OpenCall*>(context)->recorded || active->calls.empty())
    return;
  try {
    record_outputs(function, active->calls.back());
  } catch (...) {
    active->failure = std::current_exception();
  }
}

}  // namespace

bool is_fresh(const at::Tensor& output, const std::vector<c10::IValue>& inputs) {
  bool fresh = true;
  each_tensor(inputs, [&](const at::Tensor& input) {
    const bool shared = output.has_storage() && input.has_storage()
                            ? output.is_alias_of(input)
                            : output.unsafeGetTensorImpl() == input.unsafeGetTensorImpl();
    fresh = fresh && !shared;
  });
  return fresh;
}

std::string dotted_name(const c10::FunctionSchema& schema) {
  const std::string& name = schema.name();
  const std::size_t colons = name.find("::");
  return name.substr(0, colons) + "." + name.substr(colons + 2);
}

OperatorRecorder::OperatorRecorder() : state_(std::make_unique<State>()) {
  PARITY_CHECK(active == nullptr);
  state_->handle = at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                                  .needsInputs(true)
                                                  .needsOutputs(true)
                                                  .scopes({at::RecordScope::FUNCTION}));
  active = state_.get();
}

OperatorRecorder::~OperatorRecorder() {
  active = nullptr;
  at::removeCallback(state_->handle);
}

void OperatorRecorder::start() {
  state_->calls.clear();
  state_->listening = true;
}

void OperatorRecorder::stop() { state_->listening = false; }

std::vector<RecordedCall> OperatorRecorder::take() {
  if (state_->failure != nullptr) std::rethrow_exception(state_->failure);
  return std::move(state_->calls);
}

}  // namespace parity::model

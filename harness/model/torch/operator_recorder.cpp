#include "model/torch/operator_recorder.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "error/error.h"

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
  for (const auto& entry : torch::jit::currentCallstack()) {
    if (const auto place = entry.range.file_line_col()) {
      const auto& [file, line, column] = *place;
      return std::filesystem::path(file).filename().string() + ":" + std::to_string(line);
    }
  }
  return {};
}

c10::IValue as_it_is_now(const c10::IValue& value) {
  if (value.isTensor() && value.toTensor().defined()) return value.toTensor().clone();
  if (!value.isList()) return value;
  const auto list = value.toListRef();
  c10::impl::GenericList copy(value.type()->expectRef<c10::ListType>().getElementType());
  for (const c10::IValue& element : list) copy.push_back(as_it_is_now(element));
  return copy;
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
      *schema, last_of(function.inputs(), schema->arguments().size()), {}, {}, source_line()};
  for (const c10::IValue& input : call.inputs) call.given.push_back(as_it_is_now(input));
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

void on_end(const at::RecordFunction& function, at::ObserverContext* context) {
  if (active == nullptr) return;
  --active->depth;
  if (context == nullptr || !static_cast<OpenCall*>(context)->recorded || active->calls.empty())
    return;
  RecordedCall& call = active->calls.back();
  call.outputs = last_of(function.outputs(), call.schema.returns().size());
}

}  // namespace

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

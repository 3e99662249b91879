#include "model/exported/program_runner.h"

#include <algorithm>
#include <set>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include "error/error.h"
#include "model/exported/fixed_choices.h"
#include "model/exported/number_functions.h"
#include "model/exported/tap_plan.h"
#include "model/torch/bridge.h"
#include "model/torch/missing_operators.h"
#include "model/torch/source_place.h"

namespace parity::model {
namespace {

using c10::IValue;

/// "floordiv" of "_operator.floordiv", "sym_max" of "torch.sym_max".
std::string last_name(const std::string& target) { return target.substr(target.rfind('.') + 1); }

bool is_number_call(const std::string& target) {
  return target.rfind("torch.ops.", 0) != 0 && is_number_function(last_name(target));
}

bool is_known_higher_order(const std::string& name) {
  return name == "cond" || name == "while_loop";
}

void each_call(const FlatGraph& graph, const std::function<void(const FlatStep&)>& visit) {
  for (const FlatStep& step : graph.steps) {
    if (step.kind == FlatStep::Kind::call) visit(step);
    for (const std::shared_ptr<FlatGraph>& inner : step.graphs) each_call(*inner, visit);
  }
}

bool is_true_value(const IValue& value) {
  if (value.isTensor()) return value.toTensor().item().toBool();
  const auto number = number_in(value);
  if (!number) throw Error(ErrorKind::model, "a condition of the program is no number");
  return is_true(*number);
}

/// Autocast as it was before a part of the program that has its own.
class AutocastState {
 public:
  AutocastState(const c10::DeviceType type, const at::ScalarType dtype, bool enabled, bool cache)
      : type_(type),
        enabled_(at::autocast::is_autocast_enabled(type)),
        cache_(at::autocast::is_autocast_cache_enabled()),
        dtype_(at::autocast::get_autocast_dtype(type)) {
    at::autocast::set_autocast_enabled(type, enabled);
    at::autocast::set_autocast_dtype(type, dtype);
    at::autocast::set_autocast_cache_enabled(cache);
    at::autocast::increment_nesting();
  }
  ~AutocastState() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(type_, enabled_);
    at::autocast::set_autocast_dtype(type_, dtype_);
    at::autocast::set_autocast_cache_enabled(cache_);
  }
  AutocastState(const AutocastState&) = delete;
  AutocastState& operator=(const AutocastState&) = delete;

 private:
  c10::DeviceType type_;
  bool enabled_;
  bool cache_;
  at::ScalarType dtype_;
};

std::unique_ptr<AutocastState> autocast_of(const ProgramNode& node) {
  const auto argument = [&](std::size_t index) -> const ProgramArgument* {
    return index < node.inputs.size() ? &node.inputs[index].argument : nullptr;
  };
  const auto flag = [&](std::size_t index) {
    const auto* value =
        argument(index) == nullptr ? nullptr : std::get_if<bool>(&argument(index)->data);
    return value == nullptr || *value;
  };
  const auto* device =
      argument(0) == nullptr ? nullptr : std::get_if<std::string>(&argument(0)->data);
  if (device == nullptr) throw Error(ErrorKind::model, "autocast without a device; export again");
  const c10::DeviceType type = c10::Device(*device).type();
  const auto* dtype =
      argument(1) == nullptr ? nullptr : std::get_if<tensor::DType>(&argument(1)->data);
  return std::make_unique<AutocastState>(
      type, dtype == nullptr ? at::autocast::get_autocast_dtype(type) : scalar_type_of(*dtype),
      flag(2), flag(3));
}

std::vector<IValue> flattened(const IValue& value) {
  if (!value.isList() && !value.isTuple()) return {value};
  std::vector<IValue> items;
  const auto elements =
      value.isList() ? value.toListRef() : at::ArrayRef<IValue>(value.toTupleRef().elements());
  for (const IValue& item : elements) {
    for (IValue& each : flattened(item)) items.push_back(std::move(each));
  }
  return items;
}

}  // namespace

std::optional<c10::OperatorHandle> operator_of(const std::string& target) {
  const std::string name = dotted_operator(target);
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string overload = last_name(target);
  return c10::Dispatcher::singleton().findSchema(
      {name.substr(0, dot) + "::" + name.substr(dot + 1), overload == "default" ? "" : overload});
}

std::string what_cannot_run(const FlatGraph& graph) {
  std::map<std::string, std::set<std::string>> missing;
  std::map<std::string, std::set<std::string>> unknown;
  each_call(graph, [&](const FlatStep& step) {
    const std::string& target = step.node.target;
    const std::string layer = step.node.modules.empty() ? "" : step.node.modules.back().path;
    const std::string higher = higher_order_name(target);
    if (!higher.empty()) {
      if (!is_known_higher_order(higher)) unknown[higher].insert(layer);
    } else if (!dotted_operator(target).empty()) {
      if (operator_of(target)) return;
      std::string name = dotted_operator(target);
      name.replace(name.find('.'), 1, "::");
      missing[name].insert(layer);
    } else if (!is_number_call(target)) {
      unknown[target].insert(layer);
    }
  });
  const auto calls = [](const auto& names) {
    std::vector<ScriptCall> result;
    for (const auto& [name, layers] : names)
      result.push_back({name, {layers.begin(), layers.end()}});
    return result;
  };
  std::string text = text_of_missing(calls(missing));
  if (!unknown.empty()) {
    text += (text.empty() ? "" : "; and ") + std::string("parity does not run the operators ") +
            listed_with_layers(calls(unknown)) +
            " of torch.export: export the model without them (as torch.cond, torch.while_loop or "
            "plain operators)";
  }
  return text;
}

ProgramRunner::ProgramRunner(std::shared_ptr<const FlatGraph> graph) : graph_(std::move(graph)) {
  each_call(*graph_, [&](const FlatStep& step) {
    if (const auto handle = operator_of(step.node.target)) operators_.emplace(&step, *handle);
  });
}

/// One run of one graph; graphs inside it run in executions of their own.
class ProgramRunner::Execution {
 public:
  Execution(ProgramRunner& runner, const FlatGraph& graph, TapEmitter* emitter)
      : runner_(runner), graph_(graph), emitter_(emitter), slots_(graph.slots) {}
  /// The innermost first, also when a call throws.
  ~Execution() {
    while (!autocasts_.empty()) autocasts_.pop_back();
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Slots run(std::vector<IValue> inputs) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      if (const auto* value = std::get_if<GraphValue>(&graph_.inputs[i].data))
        slots_.at(value->slot) = std::move(inputs.at(i));
    }
    inputs.clear();
    auto tap = graph_.taps.begin();
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
      const FlatStep& step = graph_.steps[i];
      if (step.kind != FlatStep::Kind::leave_autocast) runner_.current_ = &step;
      const SourcePlace place(step.node.source);
      take(step);
      for (; tap != graph_.taps.end() && tap->behind == i; ++tap) emit(*tap);
      for (const std::size_t slot : step.dead_behind) slots_[slot] = IValue();
    }
    return std::move(slots_);
  }

 private:
  void take(const FlatStep& step) {
    switch (step.kind) {
      case FlatStep::Kind::enter_autocast:
        autocasts_.push_back(autocast_of(step.node));
        return;
      case FlatStep::Kind::leave_autocast:
        autocasts_.pop_back();
        return;
      case FlatStep::Kind::call:
        break;
    }
    const auto handle = runner_.operators_.find(&step);
    if (handle != runner_.operators_.end()) {
      call(step, handle->second);
    } else if (step.graphs.empty()) {
      call_number_function(step);
    } else {
      call_higher_order(step);
    }
  }

  void call(const FlatStep& step, const c10::OperatorHandle& handle) {
    torch::jit::Stack stack = operator_arguments(handle.schema(), step.node.inputs, slots_);
    handle.callBoxed(&stack);
    const std::vector<ProgramArgument>& outputs = step.node.outputs;
    if (outputs.size() != stack.size()) refuse_results(outputs.size(), stack.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) put(outputs[i], stack[i]);
  }

  [[noreturn]] static void refuse_results(std::size_t taken, std::size_t given) {
    throw Error(ErrorKind::model, "an operator gives " + std::to_string(given) +
                                      " values, and the program takes " + std::to_string(taken) +
                                      "; export the model again");
  }

  void put(const ProgramArgument& output, const IValue& value) {
    if (const auto* single = std::get_if<GraphValue>(&output.data)) {
      slots_.at(single->slot) = value;
    } else if (const auto* list = std::get_if<ArgumentList>(&output.data)) {
      if (!value.isList()) refuse_results(list->items.size(), 1);
      const auto items = value.toListRef();
      if (list->items.size() != items.size()) refuse_results(list->items.size(), items.size());
      for (std::size_t i = 0; i < items.size(); ++i) put(list->items[i], items[i]);
    }
  }

  void call_number_function(const FlatStep& step) {
    std::vector<Number> numbers;
    for (const NamedArgument& input : step.node.inputs) {
      const IValue value = plain_value(input.argument, slots_);
      const auto number = number_in(value);
      if (!number) throw Error(ErrorKind::model, "an operator on sizes is given no number");
      numbers.push_back(*number);
    }
    const auto result = apply_function(last_name(step.node.target), numbers);
    if (!result)
      throw Error(ErrorKind::model,
                  "a size cannot be computed from these inputs (a division by "
                  "zero, or a number beyond 64 bits)");
    put(step.node.outputs.at(0), number_value(*result));
  }

  [[nodiscard]] std::vector<IValue> operands(const FlatStep& step, std::size_t index) const {
    if (index >= step.node.inputs.size()) return {};
    return flattened(plain_value(step.node.inputs[index].argument, slots_));
  }

  [[nodiscard]] std::vector<IValue> run_inside(const FlatGraph& inner, std::vector<IValue> inputs) {
    if (inputs.size() != inner.inputs.size())
      throw Error(ErrorKind::model,
                  "a graph inside the program takes other inputs than it is given");
    const Slots slots = Execution(runner_, inner, emitter_).run(std::move(inputs));
    std::vector<IValue> results;
    for (const ProgramArgument& output : inner.outputs)
      results.push_back(plain_value(output, slots));
    return results;
  }

  void call_higher_order(const FlatStep& step) {
    if (step.graphs.size() != 2)
      throw Error(ErrorKind::model, "a higher-order operator of the program has not two graphs");
    std::vector<IValue> results;
    if (higher_order_name(step.node.target) == "cond") {
      // (condition, graph, graph, operands)
      const bool yes = is_true_value(plain_value(step.node.inputs.at(0).argument, slots_));
      results = run_inside(*step.graphs[yes ? 0 : 1], operands(step, 3));
    } else {
      results = looped(step);
    }
    std::vector<std::size_t> slots;
    each_value(step.node.outputs, [&](const GraphValue& value) { slots.push_back(value.slot); });
    if (slots.size() != results.size()) refuse_results(slots.size(), results.size());
    for (std::size_t i = 0; i < slots.size(); ++i) slots_.at(slots[i]) = std::move(results[i]);
    runner_.current_ = &step;
  }

  /// (condition graph, body graph, carried, additional)
  std::vector<IValue> looped(const FlatStep& step) {
    std::vector<IValue> carried = operands(step, 2);
    const std::vector<IValue> additional = operands(step, 3);
    const auto all = [&] {
      std::vector<IValue> inputs = carried;
      inputs.insert(inputs.end(), additional.begin(), additional.end());
      return inputs;
    };
    while (is_true_value(run_inside(*step.graphs[0], all()).at(0)))
      carried = run_inside(*step.graphs[1], all());
    return carried;
  }

  void emit(const PlannedTap& tap) {
    if (emitter_ == nullptr) return;
    const IValue value = value_of(tap.value, slots_);
    if (tap.kind == run::TapKind::op) {
      emitter_->op_output(tap.path, tap.op, value);
    } else {
      emitter_->module_output(tap.path, value);
    }
  }

  ProgramRunner& runner_;
  const FlatGraph& graph_;
  TapEmitter* emitter_;
  Slots slots_;
  std::vector<std::unique_ptr<AutocastState>> autocasts_;
};

Slots ProgramRunner::run(std::vector<IValue> inputs, TapEmitter* emitter) {
  current_ = nullptr;
  return Execution(*this, *graph_, emitter).run(std::move(inputs));
}

std::string ProgramRunner::place() const {
  return current_ == nullptr ? "" : place_of(current_->node);
}

IValue value_of(const ValueTree& tree, const Slots& slots) {
  if (tree.kind == ValueTree::Kind::leaf) return plain_value(tree.leaf, slots);
  if (tree.kind == ValueTree::Kind::named) {
    c10::impl::GenericDict dict(c10::StringType::get(), c10::AnyType::get());
    for (const auto& [key, child] : tree.children) dict.insert(key, value_of(child, slots));
    return dict;
  }
  std::vector<IValue> items;
  for (const auto& [key, child] : tree.children) items.push_back(value_of(child, slots));
  return c10::ivalue::Tuple::create(std::move(items));
}

}  // namespace parity::model

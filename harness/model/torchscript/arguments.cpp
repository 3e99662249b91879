#include "model/torchscript/arguments.h"

#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>

#include "error/error.h"
#include "model/torchscript/typed_value.h"

namespace parity::model {
namespace {

using tensor::Value;

/// The arguments behind the first, which is the module itself, whatever the file calls it.
std::vector<c10::Argument> own_arguments(const c10::FunctionSchema& schema) {
  PARITY_CHECK(!schema.arguments().empty());
  return {schema.arguments().begin() + 1, schema.arguments().end()};
}

/// Nullopt with a reason in `problem` when the values do not fit.
std::optional<torch::jit::Stack> fitted(const std::vector<c10::Argument>& arguments,
                                        const std::vector<const Value*>& given,
                                        const ArgumentPlacement& placement, std::string& problem) {
  torch::jit::Stack stack;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const c10::Argument& argument = arguments[i];
    if (given[i] == nullptr) {
      if (!argument.default_value()) {
        problem = "argument '" + argument.name() + "' is missing";
        return std::nullopt;
      }
      stack.push_back(*argument.default_value());
      continue;
    }
    std::optional<c10::IValue> value = typed_value(*given[i], argument.type(), placement);
    if (!value) {
      problem = "argument '" + argument.name() + "' does not take a " + value_text(*given[i]);
      return std::nullopt;
    }
    stack.push_back(*std::move(value));
  }
  return stack;
}

std::optional<torch::jit::Stack> positional(const std::vector<c10::Argument>& arguments,
                                            const std::vector<Value>& items,
                                            const ArgumentPlacement& placement,
                                            std::string& problem) {
  if (items.size() > arguments.size()) {
    problem = std::to_string(items.size()) + " values were given for " +
              std::to_string(arguments.size()) +
              (arguments.size() == 1 ? " argument" : " arguments");
    return std::nullopt;
  }
  std::vector<const Value*> given(arguments.size(), nullptr);
  for (std::size_t i = 0; i < items.size(); ++i) given[i] = &items[i];
  return fitted(arguments, given, placement, problem);
}

std::optional<torch::jit::Stack> by_keyword(const std::vector<c10::Argument>& arguments,
                                            const tensor::ValueDict& dict,
                                            const ArgumentPlacement& placement,
                                            std::string& problem) {
  std::set<std::string> unknown;
  for (const auto& [key, item] : dict.items) unknown.insert(key);
  std::vector<const Value*> given(arguments.size(), nullptr);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    unknown.erase(arguments[i].name());
    for (const auto& [key, item] : dict.items) {
      if (key == arguments[i].name()) given[i] = &item;
    }
  }
  if (!unknown.empty()) {
    problem = "there is no argument '" + *unknown.begin() + "'";
    return std::nullopt;
  }
  return fitted(arguments, given, placement, problem);
}

std::optional<torch::jit::Stack> unpacked(const std::vector<c10::Argument>& arguments,
                                          const Value& inputs, const ArgumentPlacement& placement,
                                          std::string& problem) {
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&inputs.data)) {
    return positional(arguments, tuple->items, placement, problem);
  }
  if (const auto* list = std::get_if<tensor::ValueList>(&inputs.data)) {
    return positional(arguments, list->items, placement, problem);
  }
  if (const auto* dict = std::get_if<tensor::ValueDict>(&inputs.data)) {
    return by_keyword(arguments, *dict, placement, problem);
  }
  return positional(arguments, {inputs}, placement, problem);
}

template <class Items>
std::string items_text(const Items& items, char open, char close) {
  std::string text(1, open);
  for (const auto& item : items) {
    if (text.size() > 1) text += ", ";
    text += value_text(item);
  }
  return text + close;
}

}  // namespace

std::string signature_text(const c10::FunctionSchema& schema) {
  std::string text = schema.name() + "(";
  bool first = true;
  for (const c10::Argument& argument : own_arguments(schema)) {
    if (!first) text += ", ";
    first = false;
    text.append(argument.type()->annotation_str()).append(" ").append(argument.name());
    if (argument.default_value()) {
      std::ostringstream value;
      value << *argument.default_value();
      text.append("=").append(value.str());
    }
  }
  return text + ")";
}

std::string value_text(const Value& value) {
  if (const auto* host = std::get_if<tensor::HostTensor>(&value.data)) {
    return std::string(tensor::name(host->dtype())) + " tensor " + tensor::to_string(host->shape());
  }
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data))
    return items_text(tuple->items, '(', ')');
  if (const auto* list = std::get_if<tensor::ValueList>(&value.data)) {
    return list->items.size() > 8 ? "list of " + std::to_string(list->items.size())
                                  : items_text(list->items, '[', ']');
  }
  if (const auto* dict = std::get_if<tensor::ValueDict>(&value.data)) {
    std::string text = "{";
    for (const auto& [key, item] : dict->items) {
      if (text.size() > 1) text += ", ";
      text.append(key).append(": ").append(value_text(item));
    }
    return text + "}";
  }
  return std::string(tensor::kind_name(value));
}

torch::jit::Stack method_arguments(const c10::FunctionSchema& schema, const Value& inputs,
                                   const ArgumentPlacement& placement) {
  const std::vector<c10::Argument> arguments = own_arguments(schema);
  std::string problem;
  if (auto stack = unpacked(arguments, inputs, placement, problem)) return *std::move(stack);
  // A tuple, list or dict may also be the one argument that the method takes.
  std::string ignored;
  if (auto stack = positional(arguments, {inputs}, placement, ignored)) return *std::move(stack);
  throw Error(ErrorKind::usage, "the inputs do not fit the model: " + problem + "; it takes " +
                                    signature_text(schema) + " and was given " +
                                    value_text(inputs) + ".");
}

}  // namespace parity::model

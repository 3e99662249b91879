#include "model/exported/node_checks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>

#include "model/exported/fixed_choices.h"
#include "model/exported/program_runner.h"
#include "model/exported/tap_plan.h"

namespace parity::model {
namespace {

using c10::TypeKind;
using c10::TypePtr;

/// What a program has no business to do: it computes outputs from inputs and weights.
struct Outside {
  std::string_view name;  ///< of an operator, or of a namespace with its dot
  std::string_view does;
};
constexpr std::array kOutside = {
    Outside{"aten.from_file", "reads a file that the program names"},
    Outside{"aten._print", "prints"},
    Outside{"aten.warn", "prints"},
    Outside{"prim.Print", "prints"},
    Outside{"profiler.", "writes into a profile"},
    Outside{"c10d.", "talks to other processes"},
    Outside{"_c10d_functional.", "talks to other processes"},
    Outside{"_c10d_functional_autograd.", "talks to other processes"},
    Outside{"c10d_functional.", "talks to other processes"},
    Outside{"_dtensor.", "talks to other processes"},
    Outside{"symm_mem.", "talks to other processes"},
    Outside{"rpc.", "talks to other processes"},
};

std::optional<std::string_view> reaches_outside(const std::string& name) {
  for (const Outside& each : kOutside) {
    const bool is_namespace = each.name.back() == '.';
    if (is_namespace ? name.rfind(each.name, 0) == 0 : name == each.name) return each.does;
  }
  return std::nullopt;
}

std::string_view kind_of(const ProgramArgument& argument) {
  struct Name {
    std::string_view operator()(std::monostate /*none*/) const { return "None"; }
    std::string_view operator()(bool /*flag*/) const { return "a bool"; }
    std::string_view operator()(std::int64_t /*integer*/) const { return "an int"; }
    std::string_view operator()(double /*real*/) const { return "a float"; }
    std::string_view operator()(const std::string& /*text*/) const { return "a text"; }
    std::string_view operator()(const std::complex<double>& /*number*/) const {
      return "a complex number";
    }
    std::string_view operator()(const GraphValue& value) const {
      return value.kind == ValueKind::tensor ? "a tensor" : "a number";
    }
    std::string_view operator()(tensor::DType /*dtype*/) const { return "a dtype"; }
    std::string_view operator()(MemoryFormat /*format*/) const { return "a memory format"; }
    std::string_view operator()(TensorLayout /*layout*/) const { return "a layout"; }
    std::string_view operator()(const DeviceName& /*device*/) const { return "a device"; }
    std::string_view operator()(const ArgumentList& /*list*/) const { return "a list"; }
    std::string_view operator()(const Subgraph& /*graph*/) const { return "a graph"; }
    std::string_view operator()(const UnreadArgument& unread) const { return unread.kind; }
  };
  return std::visit(Name{}, argument.data);
}

bool is_literal_number(const ProgramArgument& argument) {
  return std::holds_alternative<bool>(argument.data) ||
         std::holds_alternative<std::int64_t>(argument.data) ||
         std::holds_alternative<double>(argument.data) ||
         std::holds_alternative<std::complex<double>>(argument.data);
}

/// To the dispatcher dtypes, layouts and memory formats are ints; so the type alone does not tell
/// them apart from a number, but what is none of these is no int.
bool fits_int(const ProgramArgument& argument) {
  return std::holds_alternative<std::int64_t>(argument.data) ||
         std::holds_alternative<bool>(argument.data) ||
         std::holds_alternative<tensor::DType>(argument.data) ||
         std::holds_alternative<TensorLayout>(argument.data) ||
         std::holds_alternative<MemoryFormat>(argument.data);
}

bool fits(const ProgramArgument& argument, const TypePtr& type) {
  if (std::holds_alternative<UnreadArgument>(argument.data) ||
      std::holds_alternative<Subgraph>(argument.data))
    return false;
  const auto* value = std::get_if<GraphValue>(&argument.data);
  const auto* list = std::get_if<ArgumentList>(&argument.data);
  switch (type->kind()) {
    case TypeKind::OptionalType:
      return std::holds_alternative<std::monostate>(argument.data) ||
             fits(argument, type->expectRef<c10::OptionalType>().getElementType());
    case TypeKind::ListType: {
      const TypePtr& element = type->expectRef<c10::ListType>().getElementType();
      if (list == nullptr) return fits(argument, element);  // int[1] takes a number, too
      return std::all_of(list->items.begin(), list->items.end(),
                         [&](const ProgramArgument& item) { return fits(item, element); });
    }
    case TypeKind::TensorType:
      return value != nullptr || is_literal_number(argument) ||
             std::holds_alternative<std::monostate>(argument.data);
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
      return value != nullptr || std::holds_alternative<double>(argument.data) ||
             std::holds_alternative<std::int64_t>(argument.data);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return value != nullptr || fits_int(argument);
    case TypeKind::BoolType:
    case TypeKind::SymBoolType:
      return value != nullptr || std::holds_alternative<bool>(argument.data);
    case TypeKind::NumberType:
      return value != nullptr || is_literal_number(argument);
    case TypeKind::StringType:
      return std::holds_alternative<std::string>(argument.data);
    case TypeKind::DeviceObjType:
      return std::holds_alternative<DeviceName>(argument.data);
    default:
      return list == nullptr;
  }
}

std::string misfit_of_arguments(const ProgramNode& node, const c10::FunctionSchema& schema) {
  for (const NamedArgument& given : node.inputs) {
    const auto index = schema.argumentIndexWithName(given.name);
    if (!index) return "has no argument `" + given.name + "`, which the program gives it";
    const c10::Argument& wanted = schema.arguments()[static_cast<std::size_t>(*index)];
    if (fits(given.argument, wanted.type())) continue;
    return "takes a " + wanted.type()->annotation_str() + " as `" + given.name +
           "`, and the program gives it " + std::string(kind_of(given.argument));
  }
  for (const c10::Argument& wanted : schema.arguments()) {
    const bool given =
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](const NamedArgument& each) { return each.name == wanted.name(); });
    if (!given && !wanted.default_value())
      return "needs an argument `" + wanted.name() + "`, which the program does not give it";
  }
  return {};
}

std::string misfit_of_results(const ProgramNode& node, const c10::FunctionSchema& schema) {
  const std::size_t given = schema.returns().size();
  if (node.outputs.size() == given || schema.is_varret()) return {};
  return "gives " + std::to_string(given) + (given == 1 ? " result" : " results") +
         ", and the program takes " + std::to_string(node.outputs.size());
}

std::string misfit_of(const ProgramNode& node) {
  const std::string name = dotted_operator(node.target);
  if (const auto does = reaches_outside(name))
    return std::string(*does) + ", and a program that is compared may not";
  const auto handle = operator_of(node.target);
  if (!handle) return {};
  std::string text = misfit_of_arguments(node, handle->schema());
  return text.empty() ? misfit_of_results(node, handle->schema()) : text;
}

}  // namespace

std::string misfit_of(const FlatGraph& graph) {
  for (const FlatStep& step : graph.steps) {
    if (step.kind == FlatStep::Kind::call) {
      if (const std::string text = misfit_of(step.node); !text.empty())
        return place_of(step.node) + " " + text;
    }
    for (const std::shared_ptr<FlatGraph>& inner : step.graphs) {
      if (std::string text = misfit_of(*inner); !text.empty()) return text;
    }
  }
  return {};
}

}  // namespace parity::model

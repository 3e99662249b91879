#include "model/exported/operator_arguments.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/ScalarOps.h>
#include <ATen/core/jit_type.h>

#include "error/error.h"
#include "model/torch/bridge.h"

namespace parity::model {
namespace {

using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;

[[noreturn]] void unfit(const std::string& type, const std::string& what) {
  throw Error(ErrorKind::model,
              "an operator takes a " + type + " and is given " + what + "; export the model again");
}

at::MemoryFormat format_of(MemoryFormat format) {
  switch (format) {
    case MemoryFormat::contiguous:
      return at::MemoryFormat::Contiguous;
    case MemoryFormat::channels_last:
      return at::MemoryFormat::ChannelsLast;
    case MemoryFormat::channels_last_3d:
      return at::MemoryFormat::ChannelsLast3d;
    case MemoryFormat::preserve:
      break;
  }
  return at::MemoryFormat::Preserve;
}

struct Convert {
  const Slots& slots;

  IValue operator()(std::monostate /*none*/) const { return {}; }
  IValue operator()(bool value) const { return value; }
  IValue operator()(std::int64_t value) const { return value; }
  IValue operator()(double value) const { return value; }
  IValue operator()(const std::string& value) const { return value; }
  IValue operator()(const std::complex<double>& value) const {
    return c10::complex<double>(value.real(), value.imag());
  }
  IValue operator()(const GraphValue& value) const { return slots.at(value.slot); }
  // To the dispatcher dtypes, layouts and memory formats are numbers.
  IValue operator()(tensor::DType dtype) const {
    return static_cast<std::int64_t>(scalar_type_of(dtype));
  }
  IValue operator()(MemoryFormat format) const {
    return static_cast<std::int64_t>(format_of(format));
  }
  IValue operator()(TensorLayout layout) const {
    if (layout != TensorLayout::strided) unfit("layout", "one that is not strided");
    return static_cast<std::int64_t>(c10::kStrided);
  }
  IValue operator()(const DeviceName& device) const {
    std::string text = device.type;
    if (device.index) text.append(":").append(std::to_string(*device.index));
    return c10::Device(text);
  }
  IValue operator()(const ArgumentList& list) const {
    c10::impl::GenericList items(c10::AnyType::get());
    for (const ProgramArgument& item : list.items) items.push_back(plain_value(item, slots));
    return items;
  }
  IValue operator()(const Subgraph& /*graph*/) const { unfit("value", "a graph"); }
  IValue operator()(const UnreadArgument& argument) const { unfit("value", argument.kind); }
};

at::Tensor wrapped_number(const at::Scalar& number) {
  at::Tensor tensor = c10::scalar_to_tensor(number);
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

IValue typed(const IValue& value, const TypePtr& type);

IValue typed_list(const IValue& value, const c10::ListType& type) {
  const TypePtr& element = type.getElementType();
  c10::impl::GenericList result(element);
  // int[1] takes a number, too.
  if (!value.isList()) {
    result.push_back(typed(value, element));
    return result;
  }
  for (const IValue& item : value.toListRef()) result.push_back(typed(item, element));
  return result;
}

IValue typed_float(const IValue& value) {
  if (value.isInt()) return static_cast<double>(value.toInt());
  if (value.isTensor()) return value.toTensor().item().toDouble();
  return value;
}

IValue typed_int(const IValue& value) {
  if (value.isBool()) return static_cast<std::int64_t>(value.toBool() ? 1 : 0);
  if (value.isTensor()) return value.toTensor().item().toLong();
  return value;
}

IValue typed(const IValue& value, const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::OptionalType:
      if (value.isNone()) return value;
      return typed(value, type->expectRef<c10::OptionalType>().getElementType());
    case TypeKind::TensorType:
      if (value.isNone()) return at::Tensor();
      return value.isScalar() ? IValue(wrapped_number(value.toScalar())) : value;
    case TypeKind::ListType:
      return typed_list(value, type->expectRef<c10::ListType>());
    case TypeKind::FloatType:
      return typed_float(value);
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return typed_int(value);
    case TypeKind::NumberType:
      return value.isTensor() ? IValue(value.toTensor().item()) : value;
    default:
      return value;
  }
}

}  // namespace

IValue plain_value(const ProgramArgument& argument, const Slots& slots) {
  return std::visit(Convert{slots}, argument.data);
}

torch::jit::Stack operator_arguments(const c10::FunctionSchema& schema,
                                     const std::vector<NamedArgument>& given, const Slots& slots) {
  torch::jit::Stack stack;
  stack.reserve(schema.arguments().size());
  for (const c10::Argument& argument : schema.arguments()) {
    const auto found = std::find_if(given.begin(), given.end(), [&](const NamedArgument& each) {
      return each.name == argument.name();
    });
    if (found != given.end()) {
      stack.push_back(typed(plain_value(found->argument, slots), argument.type()));
    } else if (argument.default_value()) {
      stack.push_back(*argument.default_value());
    } else {
      unfit(argument.type()->annotation_str() + " " + argument.name(), "none");
    }
  }
  return stack;
}

std::optional<Number> number_in(const IValue& value) {
  if (value.isBool()) return Number(value.toBool());
  if (value.isInt()) return Number(value.toInt());
  if (value.isDouble()) return Number(value.toDouble());
  return std::nullopt;
}

IValue number_value(const Number& number) {
  return std::visit([](auto value) { return IValue(value); }, number);
}

}  // namespace parity::model

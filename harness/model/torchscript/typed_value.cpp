#include "model/torchscript/typed_value.h"

#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "model/torch/bridge.h"

namespace parity::model {
namespace {

using c10::IValue;
using c10::TypeKind;
using c10::TypePtr;
using tensor::Value;
using Result = std::optional<IValue>;

/// The number in a tensor of one element, as files store scalars; nullopt for any other tensor.
std::optional<at::Scalar> scalar_of(const tensor::HostTensor& host) {
  if (tensor::element_count(host.shape()) != 1) return std::nullopt;
  return to_torch(host).item();
}

Result as_int(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return IValue(*number);
  if (const auto* host = std::get_if<tensor::HostTensor>(&value.data)) {
    const auto scalar = scalar_of(*host);
    if (scalar && scalar->isIntegral(/*includeBool=*/false)) return IValue(scalar->toLong());
  }
  return std::nullopt;
}

Result as_float(const Value& value) {
  if (const auto* number = std::get_if<double>(&value.data)) return IValue(*number);
  if (const auto* number = std::get_if<std::int64_t>(&value.data))
    return IValue(static_cast<double>(*number));
  if (const auto* host = std::get_if<tensor::HostTensor>(&value.data)) {
    const auto scalar = scalar_of(*host);
    if (scalar && !scalar->isComplex()) return IValue(scalar->toDouble());
  }
  return std::nullopt;
}

Result as_bool(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return IValue(*flag);
  if (const auto* host = std::get_if<tensor::HostTensor>(&value.data)) {
    const auto scalar = scalar_of(*host);
    if (scalar && scalar->isBoolean()) return IValue(scalar->toBool());
  }
  return std::nullopt;
}

Result as_number(const Value& value) {
  Result result = as_int(value);
  return result ? result : as_float(value);
}

const std::vector<Value>* items_of(const Value& value) {
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data)) return &tuple->items;
  if (const auto* list = std::get_if<tensor::ValueList>(&value.data)) return &list->items;
  return nullptr;
}

Result as_list(const Value& value, const TypePtr& element, const ArgumentPlacement& placement) {
  const std::vector<Value>* items = items_of(value);
  if (items == nullptr) return std::nullopt;
  c10::impl::GenericList list(element);
  for (const Value& item : *items) {
    Result converted = typed_value(item, element, placement);
    if (!converted) return std::nullopt;
    list.push_back(*std::move(converted));
  }
  return IValue(std::move(list));
}

Result as_tuple(const Value& value, const c10::TupleType& type,
                const ArgumentPlacement& placement) {
  const std::vector<Value>* items = items_of(value);
  const auto elements = type.elements();
  if (items == nullptr || items->size() != elements.size()) return std::nullopt;
  std::vector<IValue> converted;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Result item = typed_value((*items)[i], elements[i], placement);
    if (!item) return std::nullopt;
    converted.push_back(*std::move(item));
  }
  if (type.schema()) {
    const auto named =
        c10::TupleType::createNamed(type.name(), type.names().value(), elements.vec());
    return IValue(c10::ivalue::Tuple::createNamed(std::move(converted), named));
  }
  return IValue(c10::ivalue::Tuple::create(std::move(converted)));
}

Result as_dict(const Value& value, const c10::DictType& type, const ArgumentPlacement& placement) {
  const auto* dict = std::get_if<tensor::ValueDict>(&value.data);
  if (dict == nullptr || type.getKeyType()->kind() != TypeKind::StringType) return std::nullopt;
  c10::impl::GenericDict converted(type.getKeyType(), type.getValueType());
  for (const auto& [key, item] : dict->items) {
    Result entry = typed_value(item, type.getValueType(), placement);
    if (!entry) return std::nullopt;
    converted.insert(key, *std::move(entry));
  }
  return IValue(std::move(converted));
}

Result as_one_of(const Value& value, const c10::ArrayRef<TypePtr>& choices,
                 const ArgumentPlacement& placement) {
  for (const TypePtr& choice : choices) {
    if (Result result = typed_value(value, choice, placement)) return result;
  }
  return std::nullopt;
}

}  // namespace

Result typed_value(const Value& value, const TypePtr& type, const ArgumentPlacement& placement) {
  switch (type->kind()) {
    case TypeKind::TensorType:
      if (!std::holds_alternative<tensor::HostTensor>(value.data)) return std::nullopt;
      return to_ivalue(value, placement.device, placement.cast);
    case TypeKind::IntType:
      return as_int(value);
    case TypeKind::FloatType:
      return as_float(value);
    case TypeKind::BoolType:
      return as_bool(value);
    case TypeKind::NumberType:
      return as_number(value);
    case TypeKind::StringType:
      if (const auto* text = std::get_if<std::string>(&value.data)) return IValue(*text);
      return std::nullopt;
    case TypeKind::NoneType:
      if (std::holds_alternative<std::monostate>(value.data)) return IValue();
      return std::nullopt;
    case TypeKind::OptionalType:
      if (std::holds_alternative<std::monostate>(value.data)) return IValue();
      return typed_value(value, type->expectRef<c10::OptionalType>().getElementType(), placement);
    case TypeKind::ListType:
      return as_list(value, type->expectRef<c10::ListType>().getElementType(), placement);
    case TypeKind::TupleType:
      return as_tuple(value, type->expectRef<c10::TupleType>(), placement);
    case TypeKind::DictType:
      return as_dict(value, type->expectRef<c10::DictType>(), placement);
    case TypeKind::UnionType:
      return as_one_of(value, type->containedTypes(), placement);
    case TypeKind::AnyType:
      return to_ivalue(value, placement.device, placement.cast);
    default:
      return std::nullopt;
  }
}

}  // namespace parity::model

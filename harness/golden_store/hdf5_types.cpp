#include "golden_store/hdf5_types.h"

#include <cstdint>
#include <map>
#include <memory>

#include "error/error.h"

namespace parity::golden_store {
namespace {

using tensor::DType;

H5::FloatType bfloat16_type() {
  H5::FloatType type(H5::PredType::IEEE_F32LE);
  type.setFields(15, 7, 8, 0,
                 7);  // sign bit, exponent from bit 7 of 8 bits, fraction from bit 0 of 7 bits
  type.setSize(2);
  type.setEbias(127);
  return type;
}

H5::FloatType float16_type() {
  H5::FloatType type(H5::PredType::IEEE_F32LE);
  type.setFields(15, 10, 5, 0, 10);
  type.setSize(2);
  type.setEbias(15);
  return type;
}

H5::EnumType boolean_type() {
  H5::EnumType type(H5::PredType::STD_I8LE);
  std::int8_t value = 0;
  type.insert("FALSE", &value);
  value = 1;
  type.insert("TRUE", &value);
  return type;
}

H5::CompType complex_type(const H5::PredType& component) {
  const std::size_t size = component.getSize();
  H5::CompType type(2 * size);
  type.insertMember("r", 0, component);
  type.insertMember("i", size, component);
  return type;
}

std::unique_ptr<H5::DataType> make_type(DType dtype) {
  const auto standard = [](const H5::PredType& type) {
    return std::make_unique<H5::DataType>(type);
  };
  switch (dtype) {
    case DType::float64:
      return standard(H5::PredType::IEEE_F64LE);
    case DType::float32:
      return standard(H5::PredType::IEEE_F32LE);
    case DType::float16:
      return std::make_unique<H5::FloatType>(float16_type());
    case DType::bfloat16:
      return std::make_unique<H5::FloatType>(bfloat16_type());
    case DType::float8_e4m3fn:
    case DType::float8_e4m3fnuz:
    case DType::float8_e5m2:
    case DType::float8_e5m2fnuz:
    case DType::uint8:
      return standard(H5::PredType::STD_U8LE);
    case DType::int64:
      return standard(H5::PredType::STD_I64LE);
    case DType::int32:
      return standard(H5::PredType::STD_I32LE);
    case DType::int16:
      return standard(H5::PredType::STD_I16LE);
    case DType::int8:
      return standard(H5::PredType::STD_I8LE);
    case DType::uint64:
      return standard(H5::PredType::STD_U64LE);
    case DType::uint32:
      return standard(H5::PredType::STD_U32LE);
    case DType::uint16:
      return standard(H5::PredType::STD_U16LE);
    case DType::boolean:
      return std::make_unique<H5::EnumType>(boolean_type());
    case DType::complex64:
      return std::make_unique<H5::CompType>(complex_type(H5::PredType::IEEE_F32LE));
    case DType::complex128:
      return std::make_unique<H5::CompType>(complex_type(H5::PredType::IEEE_F64LE));
  }
  PARITY_CHECK(false && "every dtype has a file type");
  return nullptr;
}

}  // namespace

const H5::DataType& file_type(DType dtype) {
  // Kept for the life of the process: closing types at exit would be a call into a library that may
  // have failed.
  static auto* types = new std::map<DType, std::unique_ptr<H5::DataType>>();
  std::unique_ptr<H5::DataType>& type = (*types)[dtype];
  if (type == nullptr) type = make_type(dtype);
  return *type;
}

H5::StrType text_type(std::size_t width) {
  H5::StrType type(H5::PredType::C_S1, width);
  type.setCset(H5T_CSET_UTF8);
  type.setStrpad(H5T_STR_NULLTERM);
  return type;
}

bool needs_format_attribute(DType dtype) {
  return tensor::is_floating(dtype) && tensor::size_bytes(dtype) == 1;
}

}  // namespace parity::golden_store

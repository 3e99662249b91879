// The table of element types: one row per type, in the order of the enumeration, that every
// question is answered from.
#include "tensor/dtype.h"

#include <array>
#include <cmath>

namespace parity::tensor {
namespace {

enum class Family : std::uint8_t { floating, integral, complex };

struct Traits {
  DType dtype;
  std::string_view name;
  std::size_t size_bytes;
  Family family;
  int significand_bits;
};

constexpr std::array<Traits, 19> kTraits = {{
    {DType::float64, "float64", 8, Family::floating, 53},
    {DType::float32, "float32", 4, Family::floating, 24},
    {DType::float16, "float16", 2, Family::floating, 11},
    {DType::bfloat16, "bfloat16", 2, Family::floating, 8},
    {DType::float8_e4m3fn, "float8_e4m3fn", 1, Family::floating, 4},
    {DType::float8_e4m3fnuz, "float8_e4m3fnuz", 1, Family::floating, 4},
    {DType::float8_e5m2, "float8_e5m2", 1, Family::floating, 3},
    {DType::float8_e5m2fnuz, "float8_e5m2fnuz", 1, Family::floating, 3},
    {DType::int64, "int64", 8, Family::integral, 0},
    {DType::int32, "int32", 4, Family::integral, 0},
    {DType::int16, "int16", 2, Family::integral, 0},
    {DType::int8, "int8", 1, Family::integral, 0},
    {DType::uint64, "uint64", 8, Family::integral, 0},
    {DType::uint32, "uint32", 4, Family::integral, 0},
    {DType::uint16, "uint16", 2, Family::integral, 0},
    {DType::uint8, "uint8", 1, Family::integral, 0},
    {DType::boolean, "bool", 1, Family::integral, 0},
    {DType::complex64, "complex64", 8, Family::complex, 24},
    {DType::complex128, "complex128", 16, Family::complex, 53},
}};

const Traits& traits(DType dtype) { return kTraits.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::span<const DType> all_dtypes() {
  static constexpr auto kAll = [] {
    std::array<DType, kTraits.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kTraits[i].dtype;
    return all;
  }();
  return kAll;
}

std::string_view name(DType dtype) { return traits(dtype).name; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Traits& row : kTraits) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

std::size_t size_bytes(DType dtype) { return traits(dtype).size_bytes; }
bool is_floating(DType dtype) { return traits(dtype).family == Family::floating; }
bool is_complex(DType dtype) { return traits(dtype).family == Family::complex; }
bool is_integral(DType dtype) { return traits(dtype).family == Family::integral; }

DType component(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  if (dtype == DType::complex128) return DType::float64;
  return dtype;
}

int significand_bits(DType dtype) { return traits(dtype).significand_bits; }

double unit_roundoff(DType dtype) {
  const int bits = significand_bits(dtype);
  return bits == 0 ? 0.0 : std::ldexp(1.0, -bits);
}

}  // namespace parity::tensor

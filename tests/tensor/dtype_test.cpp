// Tests of the dtype table against facts of the formats that are known from elsewhere.
#include "tensor/dtype.h"

#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

enum class Family { floating, integral, complex };

struct Row {
  DType dtype;
  std::string name;
  std::size_t size_bytes;
  Family family;
  int significand_bits;
  DType component;
};

// Sizes and significands: IEEE 754-2019 table 3.5; bfloat16: 8 exponent and 7 fraction bits;
// float8: OCP 8-bit Floating Point Specification for e4m3/e5m2, arXiv 2206.02915 for the fnuz
// kinds.
const std::vector<Row> kRows = {
    {DType::float64, "float64", 8, Family::floating, 53, DType::float64},
    {DType::float32, "float32", 4, Family::floating, 24, DType::float32},
    {DType::float16, "float16", 2, Family::floating, 11, DType::float16},
    {DType::bfloat16, "bfloat16", 2, Family::floating, 8, DType::bfloat16},
    {DType::float8_e4m3fn, "float8_e4m3fn", 1, Family::floating, 4, DType::float8_e4m3fn},
    {DType::float8_e4m3fnuz, "float8_e4m3fnuz", 1, Family::floating, 4, DType::float8_e4m3fnuz},
    {DType::float8_e5m2, "float8_e5m2", 1, Family::floating, 3, DType::float8_e5m2},
    {DType::float8_e5m2fnuz, "float8_e5m2fnuz", 1, Family::floating, 3, DType::float8_e5m2fnuz},
    {DType::int64, "int64", 8, Family::integral, 0, DType::int64},
    {DType::int32, "int32", 4, Family::integral, 0, DType::int32},
    {DType::int16, "int16", 2, Family::integral, 0, DType::int16},
    {DType::int8, "int8", 1, Family::integral, 0, DType::int8},
    {DType::uint64, "uint64", 8, Family::integral, 0, DType::uint64},
    {DType::uint32, "uint32", 4, Family::integral, 0, DType::uint32},
    {DType::uint16, "uint16", 2, Family::integral, 0, DType::uint16},
    {DType::uint8, "uint8", 1, Family::integral, 0, DType::uint8},
    {DType::boolean, "bool", 1, Family::integral, 0, DType::boolean},
    {DType::complex64, "complex64", 8, Family::complex, 24, DType::float32},
    {DType::complex128, "complex128", 16, Family::complex, 53, DType::float64},
};

TEST(DType, HasTheKnownFacts) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(name(row.dtype), row.name);
    EXPECT_EQ(size_bytes(row.dtype), row.size_bytes);
    EXPECT_EQ(is_floating(row.dtype), row.family == Family::floating);
    EXPECT_EQ(is_integral(row.dtype), row.family == Family::integral);
    EXPECT_EQ(is_complex(row.dtype), row.family == Family::complex);
    EXPECT_EQ(significand_bits(row.dtype), row.significand_bits);
    EXPECT_EQ(component(row.dtype), row.component);
  }
}

TEST(DType, AllOfThemAreListedOnce) {
  const auto all = all_dtypes();
  EXPECT_EQ(all.size(), kRows.size());
  EXPECT_EQ(std::set<DType>(all.begin(), all.end()).size(), kRows.size());
}

TEST(DType, NamesRoundTrip) {
  for (const DType dtype : all_dtypes())
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype) << name(dtype);
}

TEST(DType, OtherSpellingsAreRefused) {
  for (const char* text :
       {"", "float", "Float32", "float32 ", " float32", "torch.float32", "half", "boolean", "bf16",
        "float8", "float8_e4m3", "complex", "int", "uint128"}) {
    EXPECT_EQ(dtype_from_name(text), std::nullopt) << '"' << text << '"';
  }
}

TEST(DType, UnitRoundoffIsHalfTheSpacingAtOne) {
  EXPECT_EQ(unit_roundoff(DType::float64), std::numeric_limits<double>::epsilon() / 2);
  EXPECT_EQ(unit_roundoff(DType::float32),
            static_cast<double>(std::numeric_limits<float>::epsilon()) / 2);
  EXPECT_EQ(unit_roundoff(DType::float16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bfloat16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::float8_e4m3fn), 0x1p-4);
  EXPECT_EQ(unit_roundoff(DType::float8_e5m2), 0x1p-3);
  EXPECT_EQ(unit_roundoff(DType::complex64), unit_roundoff(DType::float32));
  EXPECT_EQ(unit_roundoff(DType::complex128), unit_roundoff(DType::float64));
  EXPECT_EQ(unit_roundoff(DType::int8), 0.0);
  EXPECT_EQ(unit_roundoff(DType::boolean), 0.0);
}

}  // namespace
}  // namespace parity::tensor

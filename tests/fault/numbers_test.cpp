#include "fault/numbers.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "compare/formats.h"
#include "fault/made_tensor.h"

namespace parity::fault {
namespace {

using tensor::DType;
using test::made;
using test::numbers_of;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits_at(const tensor::HostTensor& tensor) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes().data(), tensor::size_bytes(tensor.dtype()));
  return bits;
}

TEST(Numbers, EveryPatternOfAShortDtypeIsReadAndWrittenBackAsItWas) {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float8_e4m3fn,
                            DType::float8_e4m3fnuz, DType::float8_e5m2, DType::float8_e5m2fnuz}) {
    const std::size_t size = tensor::size_bytes(dtype);
    for (std::uint32_t pattern = 0; pattern < (1U << (8 * size)); ++pattern) {
      std::vector<std::byte> bytes(size);
      std::memcpy(bytes.data(), &pattern, size);
      const tensor::HostTensor one(dtype, {1}, bytes);
      const double value = number_at(one.view(), 0);
      const tensor::HostTensor again = made(dtype, {1}, {value});
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(number_at(again.view(), 0))) << tensor::name(dtype) << pattern;
      } else {
        ASSERT_EQ(bits_at(again), pattern) << tensor::name(dtype) << " " << value;
      }
    }
  }
}

TEST(Numbers, RoundToNearestEvenAndPastTheRangeToInfOrTheLargest) {
  struct Row {
    DType dtype;
    double value;
    double stored;
  };
  const std::vector<Row> rows = {
      {DType::float32, 1 + 0x1p-24, 1},
      {DType::float32, 1 + 0x1.8p-23, 1 + 0x1p-22},
      {DType::float32, 0x1p-149, 0x1p-149},
      {DType::float32, 0x1p-150, 0},
      {DType::float32, 0x1.8p-150, 0x1p-149},
      {DType::float32, 1e39, kInf},
      {DType::float16, 65519, 65504},
      {DType::float16, 65520, kInf},
      {DType::float16, -0x1p-24, -0x1p-24},
      {DType::bfloat16, 1 + 0x1p-8, 1},
      {DType::bfloat16, 1 + 0x1.8p-7, 1 + 0x1p-6},
      {DType::float8_e4m3fn, 1000, 448},
      {DType::float8_e4m3fnuz, -1000, -240},
      {DType::float8_e4m3fnuz, kInf, 240},
      {DType::float8_e5m2, 70000, kInf},
      {DType::float8_e5m2fnuz, 70000, 57344},
      {DType::int8, 200, 127},
      {DType::int8, -200, -128},
      {DType::uint8, -3, 0},
      {DType::int32, 2.5, 2},
      {DType::boolean, 0.5, 1},
      {DType::uint64, 1e30, 18446744073709551615.0},
  };
  for (const Row& row : rows)
    EXPECT_EQ(rounded_to(row.dtype, row.value), row.stored)
        << tensor::name(row.dtype) << " " << row.value;
  EXPECT_TRUE(std::isnan(rounded_to(DType::float8_e4m3fn, kNaN)));
}

TEST(Numbers, LeaveTheBitsOfWhatIsNotChanged) {
  const float odd = std::bit_cast<float>(0x7fc12345U);  // a NaN with a payload
  const std::vector<float> values = {odd, 1, 2};
  const auto bytes = std::as_bytes(std::span(values));
  const tensor::HostTensor tensor(DType::float32, {3}, {bytes.begin(), bytes.end()});
  const tensor::HostTensor copy =
      changed(tensor.view(), [](std::span<double> numbers, std::size_t) { numbers[2] = 5; });
  EXPECT_EQ(bits_at(copy), 0x7fc12345U);
  EXPECT_EQ(number_at(copy.view(), 2), 5);
  const tensor::HostTensor large(DType::int64, {1}, [] {
    std::vector<std::byte> whole(8, std::byte{0x7f});
    return whole;
  }());
  const tensor::HostTensor same = changed(large.view(), [](std::span<double>, std::size_t) {});
  EXPECT_EQ(bits_at(same), 0x7f7f7f7f7f7f7f7fU);
}

TEST(Numbers, SeeEveryBlockOnceAndComplexNumbersAsTwo) {
  std::vector<double> values(10001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 4096);
  const tensor::HostTensor tensor = made(DType::float32, {10001}, values);
  std::size_t next = 0;
  each_block(tensor.view(), [&](std::span<const double> numbers, std::size_t first) {
    EXPECT_EQ(first, next);
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], values[first + i]);
    next = first + numbers.size();
  });
  EXPECT_EQ(next, values.size());
  const tensor::HostTensor complex = made(DType::complex64, {2}, {1, 2, 3, 4});
  EXPECT_EQ(number_count(complex.view()), 4U);
  EXPECT_EQ(numbers_of(with_number(complex.view(), 3, 7)), (std::vector<double>{1, 2, 3, 7}));
}

TEST(Numbers, TheRmsIsOfFiniteNumbersAndDoesNotOverflow) {
  EXPECT_EQ(rms_of(made(DType::float64, {3}, {3, -3, kNaN}).view()), 3);
  EXPECT_EQ(rms_of(made(DType::float64, {2}, {1e300, -1e300}).view()), 1e300);
  EXPECT_EQ(rms_of(made(DType::float32, {0}, {}).view()), 0);
  EXPECT_EQ(rms_of(made(DType::float32, {1}, {kInf}).view()), 0);
}

}  // namespace
}  // namespace parity::fault

#include "fault/value_faults.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "compare/formats.h"
#include "fault/fault_size.h"
#include "fault/logits_faults.h"
#include "fault/made_tensor.h"
#include "fault/value_changes.h"

namespace parity::fault {
namespace {

using tensor::DType;
using test::made;
using test::numbers_of;
using Values = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const ValueFault& fault(std::string_view name) {
  for (const ValueFault& each : value_faults()) {
    if (each.name == name) return each;
  }
  throw std::runtime_error("no fault " + std::string(name));
}

Spoilt spoilt(std::string_view name, const tensor::HostTensor& value) {
  return fault(name).spoil({value, nullptr, false});
}

// Two rows of three.
const Values kValues = {1, -2, 3, 4, 5, -6};

Values after(std::string_view name, DType dtype = DType::float32) {
  const tensor::HostTensor tensor = made(dtype, {2, 3}, kValues);
  const Spoilt result = spoilt(name, tensor);
  EXPECT_TRUE(result.value.has_value()) << name << ": " << result.reason;
  EXPECT_EQ(result.value->dtype(), dtype);
  EXPECT_EQ(result.value->shape(), tensor.shape());
  return numbers_of(*result.value);
}

TEST(ValueFaults, DoWhatTheirTextsSay) {
  const double rms = rms_of(made(DType::float64, {6}, kValues).view());
  const std::map<std::string, Values> rows = {
      {"inf_element", {1, -2, 3, kInf, 5, -6}},
      {"all_zero", {0, 0, 0, 0, 0, 0}},
      {"constant", {1, 1, 1, 1, 1, 1}},
      {"zero_element", {1, -2, 3, 4, 5, 0}},
      {"zero_row", {1, -2, 3, 0, 0, 0}},
      {"zero_last_third", {1, -2, 3, 4, 0, 0}},
      {"halved", {.5, -1, 1.5, 2, 2.5, -3}},
      {"doubled", {2, -4, 6, 8, 10, -12}},
      {"scaled_slightly", {1.01, -2.02, 3.03, 4.04, 5.05, -6.06}},
      {"scaled_column", {1, -4, 3, 4, 10, -6}},
      {"offset", {1 + rms, -2 + rms, 3 + rms, 4 + rms, 5 + rms, -6 + rms}},
      {"sign_flipped", {-1, 2, -3, -4, -5, 6}},
      {"shifted", {-6, 1, -2, 3, 4, 5}},
      {"rows_shifted", {4, 5, -6, 1, -2, 3}},
      {"rows_swapped", {4, 5, -6, 1, -2, 3}},
      {"transposed", {1, 4, -2, 5, 3, -6}},
      {"clamped", {1, -2, 3, rms, rms, -rms}},
      {"spike", {1, -2, 3, 4 + 1000 * rms, 5, -6}},
  };
  for (const auto& [name, expected] : rows) {
    const Values found = after(name, DType::float64);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_DOUBLE_EQ(found[i], expected[i]) << name << " at " << i;
  }
}

TEST(ValueFaults, PutInOneNaNOrAllOfThem) {
  const auto nans = [](const Values& values) {
    return std::count_if(values.begin(), values.end(),
                         [](double each) { return std::isnan(each); });
  };
  EXPECT_EQ(nans(after("nan_element")), 1);
  EXPECT_EQ(nans(after("all_nan")), 6);
}

TEST(ValueFaults, PermuteToOtherPlacesTheSameEachTime) {
  Values found = after("permuted");
  EXPECT_NE(found, kValues);
  EXPECT_EQ(found, after("permuted"));
  std::sort(found.begin(), found.end());
  Values sorted = kValues;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(found, sorted);
}

TEST(ValueFaults, LosePrecisionToTheNextCoarserDtype) {
  const tensor::HostTensor wide = made(DType::float32, {1}, {1.2345678});
  EXPECT_EQ(numbers_of(*spoilt("truncated", wide).value),
            Values{rounded_to(DType::bfloat16, 1.2345678)});
  const tensor::HostTensor double_ = made(DType::float64, {1}, {1.23456789012345});
  EXPECT_EQ(numbers_of(*spoilt("truncated", double_).value),
            Values{rounded_to(DType::float32, 1.23456789012345)});
  const tensor::HostTensor half = made(DType::bfloat16, {1}, {1.4453125});
  EXPECT_EQ(numbers_of(*spoilt("truncated", half).value), Values{1.5});
  EXPECT_FALSE(spoilt("truncated", made(DType::int32, {1}, {3})).value.has_value());
}

TEST(ValueFaults, FlushSubnormalsOfTheDtype) {
  const tensor::HostTensor half = made(DType::float16, {3}, {0x1p-15, 0x1p-14, -0x1p-24});
  EXPECT_EQ(numbers_of(*spoilt("flushed", half).value), (Values{0, 0x1p-14, 0}));
  const tensor::HostTensor wide = made(DType::float32, {1}, {0x1p-15});
  EXPECT_EQ(numbers_of(*spoilt("flushed", wide).value), Values{0x1p-15});
}

TEST(ValueFaults, FlipTheHighestExponentBitOfASmallNumber) {
  const tensor::HostTensor tensor = made(DType::float32, {3}, {4, 8, 0.5});
  const Values found = numbers_of(*spoilt("exponent_bit", tensor).value);
  EXPECT_EQ(found[0], 4);
  EXPECT_EQ(found[1], 8);
  EXPECT_EQ(found[2], 0x1p127);
  EXPECT_FALSE(spoilt("exponent_bit", made(DType::int8, {1}, {3})).value.has_value());
}

TEST(ValueFaults, PutIntegersOffByOne) {
  EXPECT_EQ(numbers_of(*spoilt("one_step", made(DType::int64, {3}, {7, 8, 9})).value),
            (Values{7, 7, 9}));
  EXPECT_EQ(numbers_of(*spoilt("one_step", made(DType::uint8, {1}, {0})).value), Values{1});
  EXPECT_EQ(numbers_of(*spoilt("one_step", made(DType::boolean, {1}, {1})).value), Values{0});
  EXPECT_FALSE(spoilt("one_step", made(DType::float32, {1}, {1})).value.has_value());
}

TEST(ValueFaults, GiveTheValuesOfTheTapBefore) {
  const tensor::HostTensor tensor = made(DType::float32, {2}, {1, 2});
  const tensor::HostTensor before = made(DType::float32, {2}, {3, 4});
  EXPECT_EQ(numbers_of(*fault("stale").spoil({tensor, &before, false}).value), (Values{3, 4}));
  EXPECT_FALSE(spoilt("stale", tensor).value.has_value());
}

TEST(ValueFaults, ExchangeTheTwoBestLogitsWhereTheChoiceIsClearest) {
  const tensor::HostTensor logits = made(DType::float32, {3, 3}, {1, 3, 2, 0, -5, 6, kNaN, 90, 1});
  EXPECT_EQ(numbers_of(*fault("flipped_choice").spoil({logits, nullptr, true}).value).at(5), 0);
  const std::optional<Choice> choice = clearest_choice(logits.view());
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->row, 1U);
  EXPECT_EQ(choice->best, 2U);
  EXPECT_EQ(choice->second, 0U);
  EXPECT_EQ(choice->gap, 6);
  const tensor::HostTensor close = made(DType::float32, {1, 2}, {1, 1.5});
  EXPECT_FALSE(fault("flipped_choice").spoil({close, nullptr, true}).value.has_value());
  EXPECT_FALSE(fault("flipped_choice").spoil({logits, nullptr, false}).value.has_value());
}

TEST(ValueFaults, FindTheSecondBestWhereverItStands) {
  struct Row {
    Values logits;
    std::size_t best;
    std::size_t second;
  };
  for (const Row& row : {Row{{9, 1, 5}, 0, 2}, Row{{1, 9, 5}, 1, 2}, Row{{5, 1, 9}, 2, 0},
                         Row{{-9, -1, -5}, 1, 2}, Row{{9, 5, 1}, 0, 1}, Row{{1, 5, 9}, 2, 1}}) {
    const auto choice = clearest_choice(made(DType::float32, {1, 3}, row.logits).view());
    ASSERT_TRUE(choice.has_value());
    EXPECT_EQ(choice->best, row.best);
    EXPECT_EQ(choice->second, row.second);
  }
}

TEST(ValueFaults, SayWhyTheyCannotBePutIn) {
  const tensor::HostTensor integers = made(DType::int64, {2}, {1, 2});
  EXPECT_EQ(spoilt("nan_element", integers).reason, "int64 has no NaN");
  EXPECT_EQ(spoilt("rows_swapped", integers).reason, "it has one row");
  EXPECT_EQ(spoilt("transposed", integers).reason, "it has no two dimensions to exchange");
  EXPECT_EQ(spoilt("inf_element", made(DType::float8_e4m3fn, {1}, {1})).reason,
            "float8_e4m3fn has no Inf");
  EXPECT_EQ(spoilt("spike", made(DType::float32, {2}, {0, 0})).reason, "it is 0 everywhere");
}

TEST(ValueFaults, WorkOnEveryDtypeAndOnScalars) {
  for (const DType dtype : tensor::all_dtypes()) {
    for (const tensor::Shape& shape : {tensor::Shape{}, tensor::Shape{1}, tensor::Shape{2, 2}}) {
      Values values;
      const std::size_t parts = tensor::is_complex(dtype) ? 2 : 1;
      for (std::size_t i = 0; i < parts * tensor::element_count(shape); ++i)
        values.push_back(i % 2 == 0 ? 1 : 0.5);
      const tensor::HostTensor tensor = made(dtype, shape, values);
      for (const ValueFault& each : value_faults()) {
        const Spoilt result = each.spoil({tensor, &tensor, true});
        ASSERT_NE(result.value.has_value(), !result.reason.empty())
            << each.name << " " << tensor::name(dtype);
        if (!result.value) continue;
        EXPECT_EQ(result.value->shape(), shape);
        EXPECT_EQ(result.value->dtype(), dtype);
        EXPECT_EQ(result.value->bytes().size(), tensor.bytes().size());
      }
    }
  }
}

TEST(ValueFaults, HaveNamesOfTheirOwnAndATextEach) {
  std::set<std::string_view> names;
  for (const ValueFault& each : value_faults()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.text.empty());
  }
  EXPECT_GE(names.size(), 25U);
}

TEST(RoundingNoise, IsOneStepEitherWayForEveryFiniteNumberOfEveryDtype) {
  for (const DType dtype : tensor::all_dtypes()) {
    if (!tensor::is_floating(dtype)) continue;
    Values values;
    for (int i = 0; i < 64; ++i)
      values.push_back((i % 2 == 0 ? 1 : -1) * std::ldexp(1.5, i % 7 - 3));
    values.push_back(0);
    values.push_back(compare::smallest_normal(dtype));
    const tensor::HostTensor tensor =
        made(dtype, {static_cast<std::int64_t>(values.size())}, values);
    const Values before = numbers_of(tensor);
    const Values noisy = numbers_of(with_rounding_noise(tensor.view()));
    const auto ordinal = compare::ordinal_of(dtype);
    int up = 0;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      const std::uint64_t from = ordinal(std::fabs(before[i]));
      const std::uint64_t to = ordinal(std::fabs(noisy[i]));
      EXPECT_EQ(from > to ? from - to : to - from, 1U) << tensor::name(dtype) << " " << before[i];
      up += noisy[i] > before[i] ? 1 : 0;
    }
    EXPECT_GT(up, 20);
    EXPECT_LT(up, 46);
  }
}

TEST(RoundingNoise, LeavesIntegersAndWhatIsNotFinite) {
  const tensor::HostTensor integers = made(DType::int32, {2}, {1, 2});
  EXPECT_EQ(numbers_of(with_rounding_noise(integers.view())), (Values{1, 2}));
  const tensor::HostTensor odd = made(DType::float32, {2}, {kInf, kNaN});
  EXPECT_EQ(numbers_of(with_rounding_noise(odd.view())).at(0), kInf);
}

}  // namespace
}  // namespace parity::fault

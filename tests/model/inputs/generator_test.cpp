// Generated inputs: the grammar, what it refuses, and numbers that are the same on every machine.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "model/inputs.h"
#include "model/inputs/value_form.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;

TEST(Generators, GiveTheShapesAndTypesOfTheGrammar) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"randn:1x3x4", "float32[1x3x4]"},
      {"randn:2:float64", "float64[2]"},
      {"randn:scalar", "float32[scalar]"},
      {"randn:0x5", "float32[0x5]"},
      {"rand:2x2", "float32[2x2]"},
      {"zeros:3", "float32[3]"},
      {"ones:2x2:int64", "int64[2x2]"},
      {"ones:2:bool", "bool[2]"},
      {"zeros:2:uint8", "uint8[2]"},
      {"tokens:4x8", "int64[4x8]"},
      {"tokens:4x8:50257", "int64[4x8]"},
      {"randint:5:-3:4", "int64[5]"},
      {"int:16000", "int 16000"},
      {"int:-1", "int -1"},
      {"float:0.5", "float 0.500000"},
      {"float:-1e3", "float -1000.000000"},
      {"bool:true", "true"},
      {"bool:false", "false"},
      {"str:a:b", "'a:b'"},
      {"str:", "''"},
      {"none", "none"},
      {"randn:1x512;int:16000;none", "(float32[1x512], int 16000, none)"},
  };
  for (const auto& [spec, wanted] : rows)
    EXPECT_EQ(form(load_inputs(spec, 0, 100)), wanted) << spec;
}

TEST(Generators, RefuseWhatTheGrammarDoesNotHave) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"randm:1x3", "neither a file nor a generator"},
      {"", "neither a file nor a generator"},
      {"none:1", "neither a file nor a generator"},
      {"randn:1x3;", "neither a file nor a generator"},
      {"randn", "neither a file nor a generator"},
      {"randn:", "not written as 4x128"},
      {"randn:x3", "not written as 4x128"},
      {"randn:3x", "not written as 4x128"},
      {"randn:-3", "not written as 4x128"},
      {"randn:3.5", "not written as 4x128"},
      {"randn:3X4", "not written as 4x128"},
      {"randn:99999999999999999999", "not written as 4x128"},
      {"randn:1000000x1000000", "more than 64 GiB"},
      {"randn:9223372036854775807x9223372036854775807", "more than 64 GiB"},
      {"randn:3:int64", "choose one of float32, float64"},
      {"randn:3:float32:1", "not of the form"},
      {"ones:3:complex64", "choose one of"},
      {"randint:3", "not of the form randint:SHAPE:LOW:HIGH"},
      {"randint:3:4:4", "the lower one first"},
      {"randint:3:a:4", "the lower one first"},
      {"tokens:3:0", "vocabulary"},
      {"tokens:3:x", "vocabulary"},
      {"int:1.5", "no integer"},
      {"int:", "no integer"},
      {"int:9223372036854775808", "no integer"},
      {"float:x", "no number"},
      {"bool:1", "neither bool:true nor bool:false"},
  };
  for (const auto& [spec, words] : rows) {
    try {
      static_cast<void>(load_inputs(spec, 0, 100));
      ADD_FAILURE() << spec << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << spec;
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos)
          << spec << ": " << error.what();
    }
  }
}

TEST(Generators, TokensNeedAVocabulary) {
  EXPECT_NE(error_of([] {
              static_cast<void>(load_inputs("tokens:4x8", 0, 0));
            }).find("needs the vocabulary size"),
            std::string::npos);
  for (const std::int64_t token : elements<std::int64_t>(load_inputs("tokens:64x64", 0, 7))) {
    ASSERT_GE(token, 0);
    ASSERT_LT(token, 7);
  }
}

TEST(Generators, HaveTheSameBitsOnEveryMachine) {
  EXPECT_EQ(
      elements<float>(load_inputs("randn:6", 7, 0)),
      (std::vector<float>{0x1.5995840000000p-1F, -0x1.5e347c0000000p+0F, 0x1.a658780000000p-1F,
                          0x1.b9ef780000000p+0F, -0x1.31c2420000000p+1F, 0x1.07e1e80000000p+0F}));
  EXPECT_EQ(
      elements<double>(load_inputs("randn:3:float64", 7, 0)),
      (std::vector<double>{0x1.599584617457cp-1, -0x1.5e347b9d02a44p+0, 0x1.a65878a16f8c0p-1}));
  EXPECT_EQ(
      elements<float>(load_inputs("rand:6", 7, 0)),
      (std::vector<float>{0x1.8013f20000000p-1F, 0x1.5edac00000000p-4F, 0x1.972f780000000p-1F,
                          0x1.ea6bdc0000000p-1F, 0x1.14fd800000000p-7F, 0x1.b286400000000p-1F}));
  EXPECT_EQ(
      elements<double>(load_inputs("rand:3:float64", 7, 0)),
      (std::vector<double>{0x1.8013f3b9e8c0fp-1, 0x1.5edac821d3ab8p-4, 0x1.972f7826d05d1p-1}));
  EXPECT_EQ(elements<std::int64_t>(load_inputs("tokens:2x4:50257", 7, 0)),
            (std::vector<std::int64_t>{37700, 4304, 39968, 48138, 424, 42652, 12570, 6986}));
  EXPECT_EQ(elements<std::int64_t>(load_inputs("randint:6:-10:10", 7, 0)),
            (std::vector<std::int64_t>{5, -9, 5, 9, -10, 6}));
}

TEST(Generators, DependOnSeedAndPositionAlone) {
  const auto first = elements<float>(load_inputs("randn:16", 1, 0));
  EXPECT_EQ(first, elements<float>(load_inputs("randn:16", 1, 5)));
  EXPECT_NE(first, elements<float>(load_inputs("randn:16", 2, 0)));
  const Value two = load_inputs("randn:16;randn:16", 1, 0);
  const auto& tuple = std::get<tensor::ValueTuple>(two.data);
  EXPECT_EQ(first, elements<float>(tuple.items[0]));
  EXPECT_NE(first, elements<float>(tuple.items[1]));
}

TEST(Generators, SpreadEvenly) {
  std::map<std::int64_t, int> counts;
  for (const std::int64_t value : elements<std::int64_t>(load_inputs("randint:60000:-3:3", 3, 0)))
    ++counts[value];
  ASSERT_EQ(counts.size(), 6U);
  // Five standard deviations of a binomial count.
  for (const auto& [value, count] : counts) EXPECT_NEAR(count, 10000, 5 * 92) << value;
  double sum = 0;
  for (const float value : elements<float>(load_inputs("rand:100000", 3, 0))) {
    ASSERT_GE(value, 0.0F);
    ASSERT_LT(value, 1.0F);
    sum += static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 5 * 0.000913);
}

TEST(Generators, ReachTheEndsOf64Bits) {
  const auto values = elements<std::int64_t>(
      load_inputs("randint:1000:-9223372036854775808:9223372036854775807", 3, 0));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -(std::int64_t{1} << 60U));
  EXPECT_GT(*std::max_element(values.begin(), values.end()), std::int64_t{1} << 60U);
}

}  // namespace
}  // namespace parity::model

#include "gate/attribution.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::gate {
namespace {

using tensor::DType;

IntroducedError error(const std::string& path, double nrmse, DType dtype = DType::float32,
                      const std::string& case_name = "one") {
  IntroducedError result;
  result.case_name = case_name;
  result.tap = {run::TapKind::module, path, "", 0, ""};
  result.dtype = dtype;
  result.nrmse = nrmse;
  result.max_error_over_rms = 4 * nrmse;
  return result;
}

/// Six layers of one Linear and one attention each, as a bfloat16 decoder has them across vendors.
std::vector<IntroducedError> smooth_bfloat16() {
  std::vector<IntroducedError> errors;
  for (int layer = 0; layer < 6; ++layer) {
    const std::string path = "layers." + std::to_string(layer);
    errors.push_back(error(path + ".proj", 1e-5 * (1 + layer % 3), DType::bfloat16));
    errors.push_back(error(path + ".attention", 1.3e-3 + 1e-4 * layer, DType::bfloat16));
  }
  return errors;
}

TEST(Attribution, NamesNoCulpritWhereEveryLayerRoundsAlikeButTheLargestSource) {
  const Attribution found = attribute(smooth_bfloat16());
  EXPECT_EQ(found.finding, Finding::none);
  EXPECT_TRUE(found.ranked.empty());
  ASSERT_EQ(found.sources.size(), 2U);
  EXPECT_EQ(found.sources[0].layers, "layers.*.attention");
  EXPECT_EQ(found.sources[0].taps, 6U);
  EXPECT_GT(found.sources[0].share, 0.99);
  EXPECT_NE(found.sentence.find("no culprit"), std::string::npos) << found.sentence;
}

TEST(Attribution, FindsALayerThatIsWorseThanItsPeersThoughWithinTheDtypesRounding) {
  std::vector<IntroducedError> errors = smooth_bfloat16();
  errors[6].nrmse = 1.2e-3;  // layers.3.proj: less than what its attention introduces
  const Attribution found = attribute(errors);
  EXPECT_EQ(found.finding, Finding::culprit);
  ASSERT_EQ(found.ranked.size(), 1U);
  EXPECT_EQ(found.ranked[0].tap.path, "layers.3.proj");
  EXPECT_DOUBLE_EQ(found.ranked[0].share, 1.0);
  EXPECT_NE(found.sentence.find("layers.3.proj"), std::string::npos);
}

TEST(Attribution, LooksAtSparseOutliersThatTheNormHides) {
  std::vector<IntroducedError> errors = smooth_bfloat16();
  errors[4].max_error_over_rms = 3;
  const Attribution found = attribute(errors);
  ASSERT_EQ(found.finding, Finding::culprit);
  EXPECT_EQ(found.ranked[0].tap.path, "layers.2.proj");
}

TEST(Attribution, SaysThereIsNoSingleCulpritWhenTheExcessIsSpread) {
  std::vector<IntroducedError> errors;
  for (int layer = 0; layer < 8; ++layer)
    errors.push_back(error("layers." + std::to_string(layer), 2e-4));
  const Attribution found = attribute(errors);
  EXPECT_EQ(found.finding, Finding::no_single_culprit);
  EXPECT_EQ(found.ranked.size(), 8U);
  EXPECT_NE(found.sentence.find("no single culprit: 8 taps"), std::string::npos);
}

TEST(Attribution, TakesTheResultsOfALayerTogether) {
  std::vector<IntroducedError> errors = {error("layers.1.lstm", 0.3), error("layers.1.lstm", 0.32),
                                         error("layers.1.lstm", 0.31), error("head", 0.4)};
  errors[0].tap.port = "0";
  errors[1].tap.port = "1.0";
  errors[2].tap.call = 1;
  const Attribution found = attribute(errors);
  EXPECT_EQ(found.finding, Finding::culprit);
  ASSERT_EQ(found.ranked.size(), 4U);
  EXPECT_EQ(run::to_string(found.ranked[0].tap), "layers.1.lstm:1.0");
  EXPECT_EQ(run::to_string(found.ranked[1].tap), "layers.1.lstm#1");
  EXPECT_EQ(run::to_string(found.ranked[2].tap), "layers.1.lstm:0");
  EXPECT_EQ(found.ranked[3].tap.path, "head");
  EXPECT_LT(found.ranked[0].share, 0.5);
  EXPECT_NE(found.sentence.find("70 % of all"), std::string::npos) << found.sentence;
}

TEST(Attribution, LeavesOutWhatTheDtypeNoiseOrTheReferencesOwnErrorExplains) {
  struct Row {
    const char* name;
    double nrmse;
    double noise;
    double reference_error;
    DType dtype;
    Finding finding;
  };
  const std::vector<Row> rows = {
      {"float32 rounding", 3e-6, 0, 0, DType::float32, Finding::none},
      {"more than float32 rounding", 5e-6, 0, 0, DType::float32, Finding::culprit},
      {"noise of the reference", 5e-6, 2e-6, 0, DType::float32, Finding::none},
      {"more than noise", 7e-6, 2e-6, 0, DType::float32, Finding::culprit},
      {"the reference is as far from the truth", 1e-4, 0, 1.1e-4, DType::float32, Finding::none},
      {"float16 rounding", 9e-4, 0, 0, DType::float16, Finding::none},
      {"more than float16 rounding", 1.1e-3, 0, 0, DType::float16, Finding::culprit},
      {"bfloat16 rounding", 3.5e-3, 0, 0, DType::bfloat16, Finding::none},
      {"integers are not rounded", 1e-9, 0, 0, DType::int64, Finding::culprit},
  };
  for (const Row& row : rows) {
    IntroducedError one = error("layer", row.nrmse, row.dtype);
    one.noise_nrmse = row.noise;
    one.reference_error = row.reference_error;
    EXPECT_EQ(attribute({one}).finding, row.finding) << row.name;
  }
}

TEST(Attribution, AddsUpATapOverCasesAndNamesTheCaseWhereItIsWorst) {
  const Attribution found =
      attribute({error("a", 1e-3, DType::float32, "x"), error("b", 9e-4, DType::float32, "x"),
                 error("a", 1e-4, DType::float32, "y"), error("b", 2e-3, DType::float32, "y")});
  ASSERT_EQ(found.ranked.size(), 2U);
  EXPECT_EQ(found.ranked[0].tap.path, "b");
  EXPECT_EQ(found.ranked[0].case_name, "y");
  EXPECT_NEAR(found.ranked[0].share + found.ranked[1].share, 1.0, 1e-12);
}

TEST(Attribution, CountsAnErrorWithoutANumberAsOneAsLargeAsTheTensor) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double odd : {kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    IntroducedError zero_reference = error("a", odd);
    zero_reference.max_error_over_rms = odd;
    zero_reference.reference_error = odd;
    const Attribution found = attribute({zero_reference, error("b", 0.25), error("c", 0)});
    EXPECT_EQ(found.finding, Finding::culprit) << odd;
    ASSERT_EQ(found.ranked.size(), 2U) << odd;
    EXPECT_EQ(found.ranked[0].tap.path, "a") << odd;
    EXPECT_NEAR(found.ranked[0].share, 0.8, 0.01) << odd;
    EXPECT_EQ(found.sources.at(0).layers, "a") << odd;
  }
}

TEST(Attribution, HasNothingToSayWithoutErrors) {
  EXPECT_EQ(attribute({}).finding, Finding::none);
  const Attribution exact = attribute({error("a", 0), error("b", 0)});
  EXPECT_EQ(exact.finding, Finding::none);
  EXPECT_TRUE(exact.sources.empty());
  EXPECT_EQ(exact.sentence, "no layer introduces any difference");
}

}  // namespace
}  // namespace parity::gate

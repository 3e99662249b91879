#include "pipeline/compare/weights_check.h"

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::pipeline {
namespace {

run::ModelDescription model(const std::string& kind,
                            const std::vector<std::pair<std::string, unsigned char>>& weights) {
  run::ModelDescription description;
  description.file_name = "model.pt";
  description.kind = kind;
  for (const auto& [name, content] : weights) {
    const std::vector<std::byte> bytes(8, std::byte{content});
    description.weights.push_back({name, tensor::DType::float32, {2}, tensor::digest_of(bytes)});
  }
  description.all_weights = run::digest_of_weights(description.weights);
  return description;
}

std::string refusal(const run::ModelDescription& reference,
                    const run::ModelDescription& candidate) {
  try {
    (void)check_weights(compare::Reference{reference}, compare::Candidate{candidate},
                        WeightsRule::same);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::incompatible);
    EXPECT_EQ(exit_code(error.kind()), 2);
    return error.what();
  }
}

TEST(WeightsCheck, AcceptsEqualWeightsWithoutRemark) {
  const auto reference = model("torchscript", {{"a", 1}, {"b", 2}});
  EXPECT_TRUE(
      check_weights(compare::Reference{reference}, compare::Candidate{reference}, WeightsRule::same)
          .empty());
}

TEST(WeightsCheck, RefusesOtherWeightsByName) {
  const auto reference = model("torchscript", {{"a", 1}, {"b", 2}});
  const std::string text = refusal(reference, model("torchscript", {{"a", 1}, {"b", 3}}));
  EXPECT_NE(text.find("b differ in 1 of 2"), std::string::npos) << text;
  EXPECT_NE(text.find("--weights any"), std::string::npos) << text;
}

TEST(WeightsCheck, RefusesMissingAndAdditionalWeightsOfTheSameKind) {
  const auto two = model("torchscript", {{"a", 1}, {"b", 2}});
  const auto one = model("torchscript", {{"a", 1}});
  EXPECT_NE(refusal(two, one).find("lacks weights of the golden: b"), std::string::npos);
  EXPECT_NE(refusal(one, two).find("that the golden does not: b"), std::string::npos);
}

TEST(WeightsCheck, AllowsOtherWeightsWhenToldToAndSaysSo) {
  const auto reference = model("torchscript", {{"a", 1}});
  const auto candidate = model("torchscript", {{"a", 2}});
  const auto notes =
      check_weights(compare::Reference{reference}, compare::Candidate{candidate}, WeightsRule::any);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "the weights are not the golden's (1 changed: a), allowed by --weights any");
}

TEST(WeightsCheck, NamesThreeOfTheOtherWeightsAndCountsTheRest) {
  const auto reference =
      model("torchscript", {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}, {"same", 1}});
  const auto candidate = model(
      "torchscript", {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"f", 1}, {"g", 1}, {"same", 1}});
  const auto notes =
      check_weights(compare::Reference{reference}, compare::Candidate{candidate}, WeightsRule::any);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0],
            "the weights are not the golden's (4 changed: a, b, c and 1 more; 1 only in the "
            "golden: e; 2 only in the candidate: f, g), allowed by --weights any");
}

TEST(WeightsCheck, NamesTheWeightsOfOneLayerThatChanged) {
  const auto reference =
      model("torchscript", {{"l.1.bias", 1}, {"l.1.weight", 1}, {"l.10.weight", 1}, {"w", 1}});
  const auto candidate =
      model("torchscript", {{"l.1.bias", 2}, {"l.1.weight", 2}, {"l.10.weight", 2}, {"w", 1}});
  const auto text = [&](const std::string& path) {
    return own_weights_text(compare::Reference{reference}, compare::Candidate{candidate}, path);
  };
  EXPECT_EQ(text("l.1"), "its own l.1.bias, l.1.weight are not the golden's");
  EXPECT_EQ(text("l.10"), "its own l.10.weight is not the golden's");
  EXPECT_EQ(text("w"), "");
  EXPECT_EQ(text(""), "");
}

TEST(WeightsCheck, BetweenKindsComparesSharedNamesAndCountsTheRest) {
  const auto script = model("torchscript", {{"a", 1}, {"buffer", 9}});
  const auto bare = model("decoder:llama", {{"a", 1}});
  const auto notes =
      check_weights(compare::Reference{script}, compare::Candidate{bare}, WeightsRule::same);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("1 weights agree; 1 are named in one"), std::string::npos) << notes[0];
  EXPECT_NE(refusal(script, model("decoder:llama", {{"a", 2}})), "accepted");
  EXPECT_NE(refusal(script, model("decoder:llama", {{"z", 1}})), "accepted") << "nothing in common";
}

}  // namespace
}  // namespace parity::pipeline

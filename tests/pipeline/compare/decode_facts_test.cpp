// What a decode's facts are made of, with records and figures that a file may hold.
#include "pipeline/compare/decode_facts.h"

#include <gtest/gtest.h>

#include "model/decoder/decoder_fixture.h"
#include "pipeline/judge/tap_judgement.h"

namespace parity::pipeline {
namespace {

using model::ids;
using run::Verdict;

TEST(FedTokens, AreThoseOfADecodeAlone) {
  run::CaseRecord record;
  record.taps.resize(1);
  record.taps[0].id = {run::TapKind::output, "<output>", "", 0, ""};
  const tensor::Value inputs{
      tensor::ValueDict{{{"input_ids", ids({1, 1}, {1})}, {"decode_tokens", ids({1, 2}, {3, 4})}}}};
  EXPECT_FALSE(fed_tokens(inputs, record).has_value()) << "another model's input of that name";
  record.taps[0].id.call = 1;
  record.taps[0].shape = {2, 1, 40};
  EXPECT_FALSE(fed_tokens(inputs, record).has_value()) << "steps of two rows, fed to one";
  record.taps[0].shape = {1, 1, 40};
  ASSERT_TRUE(fed_tokens(inputs, record).has_value());
  EXPECT_EQ(fed_tokens(inputs, record)->ids, (std::vector<std::int64_t>{3, 4}));
  EXPECT_FALSE(fed_tokens(ids({1, 2}, {3, 4}), record).has_value());
  EXPECT_FALSE(fed_tokens({tensor::ValueDict{{{"decode_tokens", {std::string("all")}}}}}, record)
                   .has_value());
}

/// A file may claim any number of rows of nothing.
TEST(FedTokens, AreOneRowAndOneStepAtLeast) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  for (const tensor::Shape& shape :
       {tensor::Shape{kHuge, 0}, tensor::Shape{0, kHuge}, tensor::Shape{0, 0}}) {
    run::CaseRecord record;
    record.taps.resize(1);
    record.taps[0].id = {run::TapKind::output, "<output>", "", 1, ""};
    record.taps[0].shape = {shape[0], 1, 40};
    const tensor::Value inputs{tensor::ValueDict{{{"decode_tokens", ids(shape, {})}}}};
    EXPECT_FALSE(fed_tokens(inputs).has_value()) << tensor::to_string(shape);
    EXPECT_FALSE(fed_tokens(inputs, record).has_value()) << tensor::to_string(shape);
    EXPECT_EQ(passes_of(inputs, record), Passes::one);
  }
}

/// Logits of `rows` at each of two steps, as a comparison of a decode found them.
report::Case two_steps(std::uint64_t rows) {
  report::Case one;
  for (const std::int64_t step : {1, 2}) {
    report::Logits logits;
    logits.id = {run::TapKind::output, "<output>", "", step, ""};
    logits.facts.positions = rows;
    logits.facts.kl = {4.7e-3, 4.7e-3, 4.7e-3};
    logits.truth.emplace();
    logits.truth->reference_kl = {5e-3, 5e-3, 5e-3};
    logits.truth->candidate_kl = {1e-6, 1e-6, 1e-6};
    one.logits.push_back(std::move(logits));
    report::Tap tap;
    tap.id = one.logits.back().id;
    one.taps.push_back(std::move(tap));
  }
  return one;
}

Verdict verdict_of_decode(report::Case one) {
  const tensor::Value inputs{tensor::ValueDict{{{"decode_tokens", ids({2, 2}, {1, 2, 3, 4})}}}};
  add_decode({{inputs}, {inputs}}, Passes::prompt_and_steps, one);
  for (report::Tap& tap : one.taps) tap.dtype = "float32";
  judge_case(one, gate::default_rules(), "");
  return one.decode.value().verdict;
}

TEST(DecodeAgainstATruth, IsNoCloserWhereTheTruthCannotMeasureARow) {
  report::Case one = two_steps(2);
  EXPECT_EQ(verdict_of_decode(one), Verdict::closer);
  one.logits[1].truth->candidate_non_finite_rows = 1;
  EXPECT_EQ(verdict_of_decode(one), Verdict::diverged);
  one.logits[1].truth->candidate_non_finite_rows = 0;
  one.logits[0].truth->reference_non_finite_rows = 2;
  EXPECT_EQ(verdict_of_decode(one), Verdict::diverged);
}

TEST(DecodeOverNoise, IsHeldToNoLessThanTheReferenceItself) {
  report::Case one = two_steps(2);
  for (report::Logits& logits : one.logits) logits.truth.reset();
  EXPECT_EQ(verdict_of_decode(one), Verdict::diverged);
  one.taps[1].noise = run::TapNoise{3, 1, {{"kl.mean", 2e-3}}};
  EXPECT_EQ(verdict_of_decode(one), Verdict::within);
}

}  // namespace
}  // namespace parity::pipeline

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/made_facts.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using compare::TensorComparison;
using gate_test::identical_facts;
using gate_test::noisy_facts;
using run::TapKind;
using run::Verdict;
using tensor::DType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Judgement judged(const TensorComparison& facts, TapKind kind = TapKind::module) {
  return judge(facts, kind, default_policy());
}

std::string joined(const Judgement& judgement) {
  std::string text;
  for (const std::string& reason : judgement.reasons) text += reason + "\n";
  return text;
}

bool mentions(const Judgement& judgement, const std::string& part) {
  return joined(judgement).find(part) != std::string::npos;
}

struct Row {
  std::string what;
  std::function<void(TensorComparison&)> change;
  Verdict verdict;
  std::string reason;  ///< part of the reasons; "" when there must be none
};

void expect_rows(const TensorComparison& start, TapKind kind, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    TensorComparison facts = start;
    row.change(facts);
    const Judgement judgement = judged(facts, kind);
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what << "\n"
                                                                    << joined(judgement);
    if (row.reason.empty()) {
      EXPECT_TRUE(judgement.reasons.empty()) << row.what << "\n" << joined(judgement);
    } else {
      EXPECT_TRUE(mentions(judgement, row.reason)) << row.what << "\n" << joined(judgement);
    }
  }
}

TEST(Judge, CallsATapIdenticalOnlyWhenEveryBitAgrees) {
  expect_rows(
      identical_facts(), TapKind::module,
      {
          {"all bits equal", [](auto&) {}, Verdict::identical, ""},
          {"no elements", [](auto& f) { f.elements = 0, f.classes = {}; }, Verdict::identical, ""},
          {"NaN on both sides with other payloads",
           [](auto& f) {
             f.classes.finite = 990, f.classes.both_nan = 10, f.classes.equal_bits = 990;
           },
           Verdict::identical, ""},
          {"equal infinities", [](auto& f) { f.classes.finite = 990, f.classes.inf_equal = 10; },
           Verdict::identical, ""},
          {"a zero of the other sign",
           [](auto& f) {
             f.classes.zero_sign = 1, f.classes.equal_bits = 999, f.exact_share = 0.999;
           },
           Verdict::within, ""},
          {"an ulp distance alone", [](auto& f) { f.ulp.max = 1, f.classes.equal_bits = 999; },
           Verdict::within, ""},
          {"bits counted unequal alone", [](auto& f) { f.classes.equal_bits = 999; },
           Verdict::within, ""},
          {"an nrmse that was not computed", [](auto& f) { f.nrmse = kNan; }, Verdict::diverged,
           "nrmse nan"},
          {"an absolute error alone", [](auto& f) { f.absolute.max = 1e-30; }, Verdict::within, ""},
      });
}

TEST(Judge, FailsWhatIsNotShownToBeInsideABound) {
  expect_rows(
      noisy_facts(1e-7), TapKind::module,
      {
          {"rounding noise", [](auto&) {}, Verdict::within, ""},
          {"NaN nrmse", [](auto& f) { f.nrmse = kNan; }, Verdict::diverged, "nrmse nan is not <="},
          {"infinite nrmse", [](auto& f) { f.nrmse = kInf; }, Verdict::diverged, "nrmse inf"},
          {"NaN largest error", [](auto& f) { f.max_error_over_rms = kNan; }, Verdict::diverged,
           "max_error_over_rms nan"},
          {"NaN share outside", [](auto& f) { f.where.share = kNan; }, Verdict::diverged,
           "where.share nan"},
      });
}

TEST(Judge, JoinsBoundsByAnd) {
  expect_rows(
      noisy_facts(1e-7), TapKind::module,
      {
          {"three wrong elements that the norm hides", [](auto& f) { f.max_error_over_rms = 0.11; },
           Verdict::diverged,
           "max_error_over_rms 0.11 exceeds 0.000977, the fail bound of float32"},
          {"a norm that the largest error hides", [](auto& f) { f.nrmse = 1e-4; },
           Verdict::diverged, "nrmse 0.0001 exceeds 1.53e-05, the fail bound of float32"},
          {"one element outside", [](auto& f) { f.where.outside = 1, f.where.share = 0.001; },
           Verdict::suspect, "where.share 0.001 exceeds 0, the warn bound of float32"},
          {"many elements outside", [](auto& f) { f.where.outside = 50, f.where.share = 0.05; },
           Verdict::diverged, "where.share 0.05 exceeds 0.01, the fail bound of float32"},
          {"between warn and fail", [](auto& f) { f.nrmse = 8e-6; }, Verdict::suspect,
           "nrmse 8e-06 exceeds 3.81e-06, the warn bound of float32"},
          {"one metric warns, another fails",
           [](auto& f) { f.nrmse = 8e-6, f.max_error_over_rms = 1; }, Verdict::diverged,
           "nrmse 8e-06"},
      });
}

TEST(Judge, IsNotFooledByCosine) {
  // candidate = 2 x reference: the cosine is 1, the norm of the difference that of the reference.
  TensorComparison doubled = noisy_facts(1.0);
  doubled.cosine = 1;
  EXPECT_EQ(judged(doubled).verdict, Verdict::diverged);
  for (const DType dtype : tensor::all_dtypes()) {
    if (tensor::is_integral(dtype)) continue;
    TensorComparison halved = noisy_facts(0.5, dtype);
    halved.cosine = 1;
    halved.max_error_over_rms = 0;
    EXPECT_EQ(judged(halved).verdict, Verdict::diverged)
        << "a factor of 0.5 in " << tensor::name(dtype);
  }
}

TEST(Judge, CallsNanOrInfOnOneSideNonFinite) {
  expect_rows(
      noisy_facts(1e-7), TapKind::module,
      {
          {"NaN in the candidate",
           [](auto& f) { f.classes.nan_candidate_only = 3, f.classes.finite = 997; },
           Verdict::non_finite, "3 NaN in the candidate only"},
          {"NaN in the reference",
           [](auto& f) { f.classes.nan_reference_only = 1, f.classes.finite = 999; },
           Verdict::non_finite, "1 NaN in the reference only"},
          {"Inf in the candidate",
           [](auto& f) { f.classes.inf_candidate_only = 1, f.classes.finite = 999; },
           Verdict::non_finite, "1 Inf in the candidate only"},
          {"Inf in the reference",
           [](auto& f) { f.classes.inf_reference_only = 1, f.classes.finite = 999; },
           Verdict::non_finite, "1 Inf in the reference only"},
          {"Inf of opposite sign",
           [](auto& f) { f.classes.inf_opposite = 2, f.classes.finite = 998; }, Verdict::non_finite,
           "2 Inf of opposite sign"},
          {"NaN beside a large error",
           [](auto& f) { f.classes.nan_candidate_only = 1, f.classes.finite = 999, f.nrmse = 1; },
           Verdict::non_finite, "nrmse 1 exceeds"},
          {"NaN on both sides at the same places",
           [](auto& f) { f.classes.both_nan = 100, f.classes.finite = 900; }, Verdict::within, ""},
      });
}

TEST(Judge, TrustsNoConstantOutput) {
  const std::vector<Row> outputs = {
      {"identical and constant", [](auto& f) { f.reference_constant = true; }, Verdict::untrusted,
       "the reference is the same value everywhere here, so agreement proves nothing"},
      {"identical and zero", [](auto& f) { f.reference_constant = true, f.reference_rms = 0; },
       Verdict::untrusted, "zero everywhere"},
      {"identical and NaN",
       [](auto& f) { f.reference_all_nan = true, f.classes.finite = 0, f.classes.both_nan = 1000; },
       Verdict::untrusted, "NaN everywhere"},
      {"varied", [](auto&) {}, Verdict::identical, ""},
      {"constant but diverged, which stays diverged",
       [](auto& f) { f.reference_constant = true, f.nrmse = 1, f.classes.equal_bits = 0; },
       Verdict::diverged, "would have proved nothing"},
  };
  expect_rows(identical_facts(), TapKind::output, outputs);
  for (const TapKind inner : {TapKind::module, TapKind::op}) {
    expect_rows(
        identical_facts(), inner,
        {{"a constant inner tap is only noted", [](auto& f) { f.reference_constant = true; },
          Verdict::identical, "the reference is the same value everywhere here"}});
  }
}

TEST(Judge, RefusesFactsThatDoNotAddUp) {
  expect_rows(identical_facts(), TapKind::module,
              {
                  {"an element in no class", [](auto& f) { f.classes.finite = 999; },
                   Verdict::untested, "accounts for 999 of 1000 elements"},
                  {"an element in two classes", [](auto& f) { f.classes.both_nan = 1; },
                   Verdict::untested, "accounts for 1001 of 1000 elements"},
              });
  EXPECT_EQ(judge(compare::Outcome{}, TapKind::module, default_policy()).verdict,
            Verdict::untested);
  EXPECT_EQ(Judgement{}.verdict, Verdict::untested);
}

TEST(Judge, FailsEveryOtherOutcomeByName) {
  const Policy& policy = default_policy();
  const Judgement shapes = judge(compare::ShapeMismatch{{2, 33}, {2, 64}}, TapKind::output, policy);
  EXPECT_EQ(shapes.verdict, Verdict::shape_differs);
  EXPECT_TRUE(mentions(shapes, "2x33")) << joined(shapes);
  EXPECT_TRUE(mentions(shapes, "2x64")) << joined(shapes);

  const Judgement kinds =
      judge(compare::DTypeMismatch{DType::complex64, DType::float32}, TapKind::module, policy);
  EXPECT_EQ(kinds.verdict, Verdict::dtype_differs);
  EXPECT_TRUE(mentions(kinds, "one side is complex")) << joined(kinds);

  const TapRules permissive{DtypeDifference::allowed};
  const compare::DTypeMismatch wider{DType::float32, DType::bfloat16};
  for (const Judgement& dtypes :
       {judge(wider, TapKind::module, policy), judge(wider, TapKind::output, policy, permissive)}) {
    EXPECT_EQ(dtypes.verdict, Verdict::dtype_differs);
    EXPECT_TRUE(mentions(dtypes, "the reference is float32, the candidate bfloat16"))
        << joined(dtypes);
    EXPECT_FALSE(mentions(dtypes, "bits differ")) << joined(dtypes);
  }

  const Judgement digests = judge(compare::DigestMismatch{}, TapKind::module, policy);
  EXPECT_EQ(digests.verdict, Verdict::diverged);
  EXPECT_TRUE(mentions(digests, "bits differ; a digest golden cannot say how far"))
      << joined(digests);

  EXPECT_EQ(judge(compare::DigestMatch{}, TapKind::module, policy).verdict, Verdict::identical);
  EXPECT_EQ(judge(compare::NotCompared{}, TapKind::module, policy).verdict, Verdict::untested);
}

TEST(Judge, AllowsNoDifferenceOfIntegers) {
  for (const DType dtype : tensor::all_dtypes()) {
    if (!tensor::is_integral(dtype)) continue;
    TensorComparison facts = identical_facts(dtype);
    EXPECT_EQ(judged(facts).verdict, Verdict::identical) << tensor::name(dtype);
    // Two int64 beyond 2^53 may be equal as float64: only the count of unequal bits knows.
    facts.classes.equal_bits = 999;
    EXPECT_EQ(judged(facts).verdict, Verdict::diverged) << tensor::name(dtype);
    EXPECT_TRUE(mentions(judged(facts), "unequal 1 exceeds 0")) << joined(judged(facts));
  }
}

TEST(Judge, RefusesAnotherDtypeUnlessThePolicyAllowsIt) {
  TensorComparison facts = noisy_facts(1e-3);
  facts.candidate_dtype = DType::bfloat16;
  facts.ulp.dtype = DType::bfloat16;
  const Judgement refused = judged(facts);
  EXPECT_EQ(refused.verdict, Verdict::dtype_differs);
  EXPECT_TRUE(mentions(refused, "the reference is float32, the candidate bfloat16"))
      << joined(refused);

  const Policy& policy = default_policy();
  const TapRules allowed{DtypeDifference::allowed};
  EXPECT_EQ(judge(facts, TapKind::module, policy, allowed).verdict, Verdict::within);
  facts.nrmse = 0.1;
  EXPECT_EQ(judge(facts, TapKind::module, policy, allowed).verdict, Verdict::diverged);
  // Values that agree are still not the same bits.
  TensorComparison equal = identical_facts();
  equal.candidate_dtype = DType::bfloat16;
  equal.ulp.dtype = DType::bfloat16;
  EXPECT_EQ(judge(equal, TapKind::module, policy, allowed).verdict, Verdict::within);
}

TEST(Judge, SetsFlushedSubnormalsApartWhereTheyAreASettingOfTheDevice) {
  const auto flushed = [](DType dtype, std::uint64_t other) {
    TensorComparison facts = noisy_facts(1.0, dtype);
    facts.classes.flushed_to_zero = 900 - other;
    facts.where.share = 1;
    return judged(facts);
  };
  EXPECT_EQ(flushed(DType::float32, 0).verdict, Verdict::suspect);
  EXPECT_TRUE(mentions(flushed(DType::float32, 0), "900 subnormal numbers"))
      << joined(flushed(DType::float32, 0));
  EXPECT_EQ(flushed(DType::bfloat16, 0).verdict, Verdict::suspect);
  EXPECT_EQ(flushed(DType::float16, 0).verdict, Verdict::diverged);
  EXPECT_EQ(flushed(DType::float8_e4m3fn, 0).verdict, Verdict::diverged);
  EXPECT_EQ(flushed(DType::float32, 1).verdict, Verdict::diverged)
      << "one element differs otherwise";
}

TEST(Judge, GivesTheSameAnswerEveryTime) {
  TensorComparison facts = noisy_facts(8e-6);
  facts.max_error_over_rms = 0.5;
  const Judgement first = judged(facts, TapKind::output);
  for (int i = 0; i < 3; ++i) {
    const Judgement again = judged(facts, TapKind::output);
    EXPECT_EQ(again.verdict, first.verdict);
    EXPECT_EQ(again.reasons, first.reasons);
  }
}

TEST(Judge, ThrowsOnAMetricThatDoesNotExist) {
  Policy policy = default_policy();
  for (DTypePolicy& limits : policy.dtypes) limits.bounds = {{"nmrse", 0, 0, "a typing error"}};
  try {
    (void)judge(noisy_facts(1e-7), TapKind::module, policy);
    FAIL() << "an unknown metric was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("nmrse"), std::string::npos) << error.what();
  }
}

TEST(Judge, TakesTheBoundsOfWhatTheInputsWereRoundedToWhereThatIsCoarser) {
  struct Rounded {
    DType own;
    std::optional<DType> inherited;
    Verdict verdict;
  };
  const std::vector<Rounded> rows = {
      {DType::float32, std::nullopt, Verdict::diverged},
      {DType::float32, DType::float32, Verdict::diverged},
      {DType::float32, DType::bfloat16, Verdict::within},
      {DType::float32, DType::float64, Verdict::diverged},
      {DType::bfloat16, DType::float32, Verdict::within},
  };
  for (const Rounded& row : rows) {
    const TapRules rules{DtypeDifference::refused, row.inherited};
    EXPECT_EQ(judge(noisy_facts(1e-3, row.own), TapKind::module, default_policy(), rules).verdict,
              row.verdict)
        << tensor::name(row.own) << " behind "
        << (row.inherited ? tensor::name(*row.inherited) : "nothing");
  }
}

}  // namespace
}  // namespace parity::gate

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "compare/element_bound.h"
#include "gate/made_facts.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using run::Verdict;
using tensor::DType;

struct Measured {
  DType dtype;
  double nrmse;
  Verdict verdict;
  std::string what;
};

TEST(DefaultPolicy, AgreesWithWhatWasMeasuredBetweenVendors) {
  const Measured rows[] = {
      {DType::float32, 2e-7, Verdict::within, "float32, H200 against x86, best layer"},
      {DType::float32, 5e-7, Verdict::within, "float32, H200 against x86, worst layer"},
      {DType::float32, 1.5e-4, Verdict::diverged, "TF32 against float32, best layer"},
      {DType::float32, 4e-4, Verdict::diverged, "TF32 against float32, worst layer"},
      {DType::float32, 9.8e-7, Verdict::within, "float32, worst tap of the committed golden"},
      {DType::float32, 1e-5, Verdict::suspect, "float32, 10 times the worst tap"},
      {DType::bfloat16, 1e-3, Verdict::within, "bfloat16, best layer"},
      {DType::bfloat16, 3e-3, Verdict::within, "bfloat16, worst layer"},
      {DType::bfloat16, 8.3e-3, Verdict::within, "bfloat16, worst tap of the committed golden"},
      {DType::bfloat16, 3.3e-2, Verdict::suspect, "bfloat16, 4 times the worst tap"},
      {DType::bfloat16, 8.3e-2, Verdict::diverged, "bfloat16, 10 times the worst tap"},
      {DType::float16, 1e-4, Verdict::within, "float16, best layer"},
      {DType::float16, 4e-4, Verdict::within, "float16, worst layer"},
      {DType::float16, 1.1e-3, Verdict::within, "float16, worst tap of the committed golden"},
      {DType::float16, 3e-3, Verdict::suspect, "float16 with the errors of bfloat16"},
      {DType::float16, 1e-2, Verdict::diverged, "float16, 25 times the worst layer"},
      {DType::float64, 1e-15, Verdict::within, "float64 rounding"},
      {DType::float64, 2e-7, Verdict::diverged, "float64 computed in float32"},
      {DType::complex64, 5e-7, Verdict::within, "complex64 rounding"},
      {DType::complex64, 4e-4, Verdict::diverged, "complex64 in TF32"},
      {DType::float8_e4m3fn, 0.05, Verdict::within, "float8, some elements one step off"},
      {DType::float8_e4m3fn, 0.5, Verdict::diverged, "float8, half the value"},
      {DType::float8_e5m2, 0.5, Verdict::diverged, "float8, half the value"},
  };
  for (const Measured& row : rows) {
    const Judgement judgement =
        judge(gate_test::noisy_facts(row.nrmse, row.dtype), run::TapKind::module, default_policy());
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict))
        << row.what << ", nrmse " << row.nrmse;
  }
}

TEST(DefaultPolicy, PassesOneStepInEveryElement) {
  // A norm cast to bfloat16 before or after its weight: every element up to one step off is no
  // wrong layer.
  compare::TensorComparison facts = gate_test::noisy_facts(5.5e-3, DType::bfloat16);
  facts.ulp.max = 1;
  EXPECT_EQ(judge(facts, run::TapKind::module, default_policy()).verdict, Verdict::within);
}

TEST(DefaultPolicy, PassesRoundingOfAnOutlierChannel) {
  // One bfloat16 step of an element 163 times the rms is 1.27 rms; the element bound is relative
  // and holds.
  compare::TensorComparison facts = gate_test::noisy_facts(3e-3, DType::bfloat16);
  facts.max_error_over_rms = 1.27;
  EXPECT_TRUE(run::passes(judge(facts, run::TapKind::module, default_policy()).verdict,
                          run::Strictness::normal));
}

TEST(DefaultPolicy, CoversEveryDtypeInOrder) {
  const Policy& policy = default_policy();
  for (const DType dtype : tensor::all_dtypes()) {
    const DTypePolicy& limits = policy.for_dtype(dtype);
    EXPECT_FALSE(limits.bounds.empty()) << tensor::name(dtype);
    for (const Bound& bound : limits.bounds) {
      EXPECT_LE(bound.warn, bound.fail) << tensor::name(dtype) << " " << bound.metric;
    }
    if (!tensor::is_integral(dtype)) {
      EXPECT_GT(compare::element_bound(dtype).relative,
                tensor::unit_roundoff(tensor::component(dtype)));
    }
  }
  EXPECT_NO_THROW(validate(policy));
}

TEST(DefaultPolicy, NeverGatesOnCosine) {
  for (const DTypePolicy& limits : default_policy().dtypes) {
    for (const Bound& bound : limits.bounds)
      EXPECT_NE(bound.metric, "cosine") << tensor::name(limits.dtype);
  }
}

}  // namespace
}  // namespace parity::gate

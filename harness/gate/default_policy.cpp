// The numbers of the built-in policy. Each bound is a multiple of the dtype's unit roundoff u (or a
// figure on the scale of harm, for logits) and carries the reason for the multiple; no code here
// looks at a comparison.
#include <fmt/format.h>

#include "gate/policy.h"

namespace parity::gate {
namespace {

using tensor::DType;

/// Limits of nrmse and of max_error_over_rms in units of the dtype's unit roundoff.
struct Multiples {
  double nrmse_warn = 0;
  double nrmse_fail = 0;
  double max_warn = 0;
  double max_fail = 0;
  const char* nrmse_origin = "";
  const char* max_origin = "";
  double truth_factor = 0;
};

// A value may be some hundred times the rms of its tensor (attention sinks, outlier channels), and
// rounding errors scale with the value: hence the distance between the limits of the norm and those
// of the largest error.
constexpr Multiples kWide = {
    64,
    256,
    4096,
    16384,
    "the committed 4-layer decoder golden, H200 against an x86 CPU, reaches 16 u (9.8e-7 in "
    "float32), TF32 arithmetic starts at 1800 u (1.1e-4): warn 4 times above the one, fail 7 times "
    "below the other",
    "an element 300 times the rms that is wrong by 14 (warn) or 55 (fail) roundings: sparse "
    "outliers that a norm hides",
    2};
constexpr Multiples kHalf = {
    6,
    16,
    64,
    512,
    "the committed 4-layer decoder goldens, H200 against an x86 CPU, reach "
    "2.2 u (8.3e-3 in bfloat16, 1.1e-3 in float16): warn 3 times and fail "
    "7 times above that, for deeper models",
    "an element 32 (warn) or 256 (fail) times the rms that is one step "
    "off: sparse outliers that a norm hides",
    3};
// Not measured: a step of these formats is so coarse that the same multiples would let a factor of
// 0.5 pass.
constexpr Multiples kEighth = {
    1,
    2,
    16,
    64,
    "every element one step off gives about 1.4 u; a factor of 0.5, as between the OCP and the "
    "fnuz formats, gives 4 u "
    "or more",
    "an element 8 (warn) or 32 (fail) times the rms that is one step off",
    3};

DTypePolicy floating(DType dtype, const Multiples& multiples) {
  const double u = tensor::unit_roundoff(tensor::component(dtype));
  DTypePolicy policy;
  policy.dtype = dtype;
  policy.truth_factor = multiples.truth_factor;
  policy.bounds = {
      {"nrmse", multiples.nrmse_warn * u, multiples.nrmse_fail * u,
       fmt::format("{:g} u / {:g} u: {}", multiples.nrmse_warn, multiples.nrmse_fail,
                   multiples.nrmse_origin)},
      {"max_error_over_rms", multiples.max_warn * u, multiples.max_fail * u,
       fmt::format("{:g} u / {:g} u: {}", multiples.max_warn, multiples.max_fail,
                   multiples.max_origin)},
      {"where.share", 0, 0.01,
       fmt::format("an element is outside beyond {:g} u of its own value plus {:g} u of the rms, "
                   "twice and once the "
                   "nrmse limit; rounding noise of that norm reaches 6 times its rms at most, so "
                   "any element "
                   "outside is worth a look and one in a hundred is no rounding",
                   2 * multiples.nrmse_fail, multiples.nrmse_fail)},
  };
  return policy;
}

DTypePolicy exact(DType dtype) {
  DTypePolicy policy;
  policy.dtype = dtype;
  policy.bounds = {
      {"unequal", 0, 0, "integers and bools are not rounded: any difference is a wrong result"}};
  return policy;
}

const Multiples& multiples_of(DType dtype) {
  const int bits = tensor::significand_bits(tensor::component(dtype));
  constexpr int kFloat32Bits = 24;
  constexpr int kBfloat16Bits = 8;
  if (bits >= kFloat32Bits) return kWide;
  return bits >= kBfloat16Bits ? kHalf : kEighth;
}

std::vector<Bound> logits_bounds() {
  return {
      {"decided_flips", 0, 0,
       "where the reference's two best logits are at least 2.0 apart, rounding does not turn the "
       "choice round: each "
       "such flip is a changed answer"},
      {"kl.mean", 2e-4, 1e-3,
       "scale of harm measured on language models [llama.cpp]: 8-bit weights (Q8_0) cost 2.4e-4 "
       "nat, 5-bit weights 4.7e-3; a change of backend must stay below a change of weights (the "
       "committed bfloat16 golden: 1.0e-4)"},
      {"kl.max", 1e-2, 1e-1,
       "at a single position, some 50 to 100 times the limits of the mean: a mean over many "
       "positions hides one that is ruined"},
      {"top1_agreement", 0.99, 0,
       "8-bit weights keep 99.2 % of the first choices [llama.cpp]; near ties turn round "
       "legitimately, so this warns "
       "and never fails by itself"},
  };
}

Policy make_default_policy() {
  Policy policy;
  policy.name = "default";
  for (const DType dtype : tensor::all_dtypes()) {
    policy.dtypes.push_back(tensor::is_integral(dtype) ? exact(dtype)
                                                       : floating(dtype, multiples_of(dtype)));
  }
  policy.logits = logits_bounds();
  validate(policy);
  return policy;
}

}  // namespace

const Policy& default_policy() {
  static const Policy policy = make_default_policy();
  return policy;
}

}  // namespace parity::gate

// The history's limits are stated in parts of what the built-in policy warns at: here they are held
// together.
#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "gate/policy.h"
#include "history/metrics.h"
#include "tensor/dtype.h"

namespace parity::history {
namespace {

double warn_of(const std::vector<gate::Bound>& bounds, std::string_view metric) {
  const auto found = std::find_if(bounds.begin(), bounds.end(),
                                  [&](const gate::Bound& bound) { return bound.metric == metric; });
  if (found == bounds.end()) throw std::runtime_error("no bound on " + std::string(metric));
  return found->warn;
}

TEST(LimitsOfNewEnvironments, ArePartsOfWhatThePolicyWarnsAt) {
  for (const tensor::DType dtype : tensor::all_dtypes()) {
    if (!tensor::is_floating(dtype)) continue;
    const double roundoff = tensor::unit_roundoff(dtype);
    const double warn = warn_of(gate::default_policy().for_dtype(dtype).bounds, "nrmse");
    EXPECT_DOUBLE_EQ(warn_roundoffs(roundoff) * roundoff, warn) << tensor::name(dtype);
  }
  EXPECT_LT(facts_of(Metric::nrmse).coarse_floor, 1) << "seen before the policy warns";
  EXPECT_LT(facts_of(Metric::introduced_nrmse).coarse_floor, facts_of(Metric::nrmse).coarse_floor);
  const std::vector<gate::Bound>& logits = gate::default_policy().logits;
  for (const Metric metric : {Metric::kl_mean, Metric::kl_max}) {
    const MetricFacts& facts = facts_of(metric);
    EXPECT_DOUBLE_EQ(2 * facts.coarse_floor, warn_of(logits, facts.name)) << facts.name;
  }
  EXPECT_EQ(warn_of(logits, "decided_flips"), 0);
  EXPECT_LT(facts_of(Metric::decided_flips).coarse_floor, 1) << "any decided flip counts";
}

TEST(LimitsOfSteps, OfTheKlAreAHundredthOfWhatThePolicyWarnsAt) {
  for (const Metric metric : {Metric::kl_mean, Metric::kl_max}) {
    const MetricFacts& facts = facts_of(metric);
    EXPECT_DOUBLE_EQ(100 * facts.absolute_floor,
                     warn_of(gate::default_policy().logits, facts.name));
  }
}

}  // namespace
}  // namespace parity::history

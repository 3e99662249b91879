// Comparisons of logits against a slow one, on every SIMD target and any number of threads.
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/compare_logits.h"
#include "compare/made_tensor.h"
#include "compare/row_kernel.h"
#include "compare/slow_logits.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Truncation, which is as good as any rounding here; for magnitudes that float16 has.
std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16U & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= 0x7F800000U)
    return static_cast<std::uint16_t>(sign | (magnitude == 0x7F800000U ? 0x7C00U : 0x7E00U));
  const bool small = magnitude < 0x38800000U;
  return static_cast<std::uint16_t>(sign | (small ? 0U : (magnitude - 0x38000000U) >> 13U));
}

tensor::HostTensor made_logits(DType dtype, tensor::Shape shape, const std::vector<float>& values) {
  switch (dtype) {
    case DType::float64:
      return made_tensor(dtype, std::move(shape),
                         std::vector<double>(values.begin(), values.end()));
    case DType::bfloat16:
    case DType::float16: {
      std::vector<std::uint16_t> bits;
      for (const float value : values)
        bits.push_back(dtype == DType::float16 ? to_float16(value)
                                               : static_cast<std::uint16_t>(
                                                     std::bit_cast<std::uint32_t>(value) >> 16U));
      return made_tensor(dtype, std::move(shape), bits);
    }
    case DType::float8_e5m2: {
      std::vector<std::uint8_t> bits;
      for (const float value : values)
        bits.push_back(static_cast<std::uint8_t>(to_float16(value) >> 8U));
      return made_tensor(dtype, std::move(shape), bits);
    }
    default:
      return floats(std::move(shape), values);
  }
}

/// How a candidate is off, and what both sides hold besides everyday values.
enum class Kind { close, far, masked, tied, wide, broken };

struct Values {
  std::vector<float> reference;
  std::vector<float> candidate;
};

Values values_of(Kind kind, std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const float width = kind == Kind::wide ? 300 : 3;
  const float noise = kind == Kind::close ? 1e-3F : 1;
  Values values{std::vector<float>(count), std::vector<float>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    float& reference = values.reference[i];
    float& candidate = values.candidate[i];
    reference = width * normal(random);
    if (kind == Kind::tied) reference = std::round(reference);
    candidate = kind == Kind::tied ? std::round(reference + normal(random) / 3)
                                   : reference + noise * normal(random);
    if (kind == Kind::masked && random() % 3 == 0) reference = candidate = -kInf;
    if (kind == Kind::masked && random() % 50 == 0) reference = candidate = -5e4F;
    if (kind == Kind::broken && random() % count < 2)
      candidate = random() % 2 == 0 ? kInf : std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

constexpr Kind kKinds[] = {Kind::close, Kind::far,  Kind::masked,
                           Kind::tied,  Kind::wide, Kind::broken};
constexpr DType kDTypes[] = {DType::float32, DType::bfloat16, DType::float16, DType::float64,
                             DType::float8_e5m2};

void expect_near(double found, double expected, const std::string& what) {
  if (std::isinf(expected) || std::isinf(found)) {
    EXPECT_EQ(found, expected) << what;
  } else {
    EXPECT_NEAR(found, expected, 1e-14 + 1e-12 * expected) << what;
  }
}

void expect_facts(const LogitsComparison& found, const LogitsComparison& expected,
                  const std::string& what) {
  EXPECT_EQ(found.positions, expected.positions) << what;
  EXPECT_EQ(found.top1_agreement, expected.top1_agreement) << what;
  EXPECT_EQ(found.flips, expected.flips) << what;
  EXPECT_EQ(found.decided_flips, expected.decided_flips) << what;
  EXPECT_EQ(found.max_flip_gap, expected.max_flip_gap) << what;
  EXPECT_EQ(found.topk_overlap, expected.topk_overlap) << what;
  EXPECT_EQ(found.first_divergent, expected.first_divergent) << what;
  EXPECT_EQ(found.non_finite_rows, expected.non_finite_rows) << what;
  ASSERT_EQ(found.next_tokens.size(), expected.next_tokens.size()) << what;
  for (std::size_t i = 0; i < found.next_tokens.size(); ++i) {
    ASSERT_EQ(found.next_tokens[i].has_value(), expected.next_tokens[i].has_value()) << what;
    if (!found.next_tokens[i]) continue;
    EXPECT_EQ(found.next_tokens[i]->reference, expected.next_tokens[i]->reference) << what;
    EXPECT_EQ(found.next_tokens[i]->candidate, expected.next_tokens[i]->candidate) << what;
    EXPECT_EQ(found.next_tokens[i]->gap, expected.next_tokens[i]->gap) << what;
  }
  expect_near(found.kl.mean, expected.kl.mean, what);
  expect_near(found.kl.max, expected.kl.max, what);
  expect_near(found.kl_reverse.mean, expected.kl_reverse.mean, what);
  expect_near(found.kl_reverse.max, expected.kl_reverse.max, what);
  expect_near(found.max_logprob_change, expected.max_logprob_change, what);
}

/// Equal to the bit.
void expect_same(const LogitsComparison& found, const LogitsComparison& expected,
                 const std::string& what) {
  expect_facts(found, expected, what);
  const auto bits = [](const LogitsComparison& facts) {
    std::vector<std::uint64_t> all;
    for (const double value :
         {facts.kl.mean, facts.kl.p99, facts.kl.max, facts.kl_reverse.mean, facts.kl_reverse.p99,
          facts.kl_reverse.max, facts.max_logprob_change, facts.max_flip_gap})
      all.push_back(std::bit_cast<std::uint64_t>(value));
    return all;
  };
  EXPECT_EQ(bits(found), bits(expected)) << what;
}

LogitsComparison fast(const tensor::HostTensor& reference, const tensor::HostTensor& candidate,
                      int threads = 1) {
  LogitsOptions options;
  options.threads = threads;
  return compare_logits(Reference{reference.view()}, Candidate{candidate.view()}, options);
}

/// Calls `body` with both sides of every kind, dtype and vocabulary, and words for them.
template <typename Body>
void for_each_case(const std::vector<std::int64_t>& vocabularies, const Body& body) {
  std::uint32_t seed = 1;
  for (const std::int64_t vocabulary : vocabularies) {
    const tensor::Shape shape = {2, vocabulary > 1000 ? 1 : 3, vocabulary};
    for (const Kind kind : kKinds) {
      for (const DType dtype : kDTypes) {
        const Values values = values_of(kind, tensor::element_count(shape), ++seed);
        body(made_logits(dtype, shape, values.reference),
             made_logits(dtype, shape, values.candidate),
             std::to_string(vocabulary) + " " + std::string(tensor::name(dtype)) + " kind " +
                 std::to_string(static_cast<int>(kind)));
      }
    }
  }
}

TEST(LogitsKernel, GivesWhatASlowComparisonGives) {
  for_each_case({1, 2, 7, 12, 511, 513, 1500, 4096, 50257},
                [](const auto& reference, const auto& candidate, const std::string& what) {
                  expect_facts(
                      fast(reference, candidate),
                      slow_logits(Reference{reference.view()}, Candidate{candidate.view()}), what);
                });
}

TEST(LogitsKernel, ComparesDifferentDTypes) {
  const Values values = values_of(Kind::close, 2 * 1000, 77);
  for (const DType ours : kDTypes) {
    for (const DType theirs : kDTypes) {
      const auto reference = made_logits(ours, {2, 1000}, values.reference);
      const auto candidate = made_logits(theirs, {2, 1000}, values.candidate);
      expect_facts(fast(reference, candidate),
                   slow_logits(Reference{reference.view()}, Candidate{candidate.view()}),
                   std::string(tensor::name(ours)) + " " + std::string(tensor::name(theirs)));
    }
  }
}

TEST(LogitsKernel, ReadsRowsAtOddAddresses) {
  const Values values = values_of(Kind::close, 3 * 1040, 78);
  for (const DType dtype : kDTypes) {
    const auto reference = made_logits(dtype, {3, 1040}, values.reference);
    const auto candidate = made_logits(dtype, {3, 1040}, values.candidate);
    std::vector<std::byte> moved(reference.bytes().size() + 1);
    std::copy(reference.bytes().begin(), reference.bytes().end(), moved.begin() + 1);
    const tensor::TensorView odd{dtype, reference.shape(), std::span(moved).subspan(1)};
    expect_same(compare_logits(Reference{odd}, Candidate{candidate.view()}, {}),
                fast(reference, candidate), std::string(tensor::name(dtype)));
  }
}

TEST(LogitsKernel, GivesTheSameBitsOnEverySimdTargetAndForAnyThreads) {
  for_each_case({1, 7, 1500, 2048, 50257}, [](const auto& reference, const auto& candidate,
                                              const std::string& what) {
    const LogitsComparison expected = fast(reference, candidate);
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      expect_same(fast(reference, candidate), expected, what + " " + hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(0);
    }
    for (int threads = 2; threads <= 8; ++threads)
      expect_same(fast(reference, candidate, threads), expected, what);
  });
}

TEST(LogitsKernel, ReadsEveryPatternOfFloat16OnEverySimdTarget) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
      const auto row = made_vector(DType::float16, std::vector{static_cast<std::uint16_t>(bits)});
      BestTokens best(1);
      const double value = value_reader(DType::float16)(row.bytes().data());
      ASSERT_EQ(find_best_tokens(row_of(row.view(), 0), best), std::isfinite(value)) << bits;
      if (std::isfinite(value)) {
        ASSERT_EQ(best.tokens()[0].logit, value) << bits;
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

// Later blocks of 16-bit rows are looked at as integers.
TEST(LogitsKernel, FindsBrokenValuesAndBestTokensAnywhereInA16BitRow) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const DType dtype : {DType::bfloat16, DType::float16}) {
      const std::uint16_t infinity = dtype == DType::bfloat16 ? 0x7F80 : 0x7C00;
      for (const int pattern : {infinity + 0, infinity + 1, infinity - 1, 0x7FFF, 0xFFFF, 0x8000,
                                0x8001 + infinity, 0x8000 + infinity, 0x7FFF + infinity, 1, 0}) {
        std::vector<std::uint16_t> bits(4096, 0x8000);
        bits[3500] = static_cast<std::uint16_t>(pattern);
        const auto row = made_vector(dtype, bits);
        const double value = value_reader(dtype)(row.bytes().data() + 7000);
        const bool usable = std::isfinite(value) || value < 0;
        BestTokens best(2);
        ASSERT_EQ(find_best_tokens(row_of(row.view(), 0), best), usable) << pattern;
        if (!usable) continue;
        EXPECT_EQ(best.tokens()[0].index, value > 0 ? 3500U : 0U) << pattern;
        EXPECT_EQ(best.gap(), value > 0 ? value : 0) << pattern;
      }
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

// A comparison of nearly equal logits must tell 1e-12 from 2e-12, as judged noise is compared.
TEST(LogitsKernel, KeepsTheDigitsOfTinyDivergences) {
  for (const double noise : {1e-3, 1e-5, 1e-7, 1e-9}) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> reference(20000);
    std::vector<double> candidate(20000);
    for (std::size_t i = 0; i < reference.size(); ++i) {
      reference[i] = 3 * normal(random);
      candidate[i] = reference[i] + noise * normal(random);
    }
    const auto ours = made_tensor(DType::float64, {1, 20000}, reference);
    const auto theirs = made_tensor(DType::float64, {1, 20000}, candidate);
    const LogitsComparison expected = slow_logits(Reference{ours.view()}, Candidate{theirs.view()});
    const LogitsComparison found = fast(ours, theirs);
    ASSERT_GT(expected.kl.max, noise * noise / 10);
    // A logit near 16 is itself known to 2e-15, which shifts its change by 2e-15 / noise of it.
    const double tolerance = 1e-12 + 1e-14 / noise;
    EXPECT_NEAR(found.kl.max / expected.kl.max, 1, tolerance) << noise;
    EXPECT_NEAR(found.kl_reverse.max / expected.kl_reverse.max, 1, tolerance) << noise;
    EXPECT_NEAR(found.max_logprob_change / expected.max_logprob_change, 1, tolerance) << noise;
  }
}

TEST(LogitsKernel, SeesAMassThatOneSideAloneExcludes) {
  const std::vector<float> full(40, 0.5F);
  for (const float excluded : {0.5F, -700.0F, -800.0F}) {
    std::vector<float> reference = full;
    std::vector<float> candidate = full;
    reference[17] = excluded;
    candidate[17] = -kInf;
    const auto facts = fast(floats({1, 40}, reference), floats({1, 40}, candidate));
    const bool has_mass = excluded > -745;
    EXPECT_EQ(std::isinf(facts.kl.max), has_mass) << excluded;
    EXPECT_TRUE(std::isfinite(facts.kl_reverse.max)) << excluded;
    const auto turned = fast(floats({1, 40}, candidate), floats({1, 40}, reference));
    EXPECT_EQ(std::isinf(turned.kl_reverse.max), has_mass) << excluded;
  }
}

}  // namespace
}  // namespace parity::compare

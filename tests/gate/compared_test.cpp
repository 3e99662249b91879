// Judgement of facts that the comparison itself computed: the seam between compare/ and gate/.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compare/compare_logits.h"
#include "compare/compare_tensors.h"
#include "compare/element_bound.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using run::TapKind;
using run::Verdict;
using tensor::DType;

constexpr std::int64_t kElements = 4096;

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

compare::Outcome compared(const tensor::TensorView& reference,
                          const tensor::TensorView& candidate) {
  compare::CompareOptions options;
  options.element_bound = compare::element_bound(reference.dtype);
  return compare::compare_tensors(compare::Reference{reference}, compare::Candidate{candidate},
                                  options);
}

std::vector<float> normal_values() {
  std::mt19937 generator(20240607);
  std::normal_distribution<float> normal;
  std::vector<float> values(kElements);
  for (float& value : values) value = normal(generator);
  return values;
}

/// The bfloat16 pattern of a finite value, rounded to nearest even.
std::uint16_t bfloat16_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7FFFU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>(bits >> 16U);
}

struct Row {
  std::string what;
  std::function<float(float, std::size_t)> candidate;
  Verdict verdict;
};

TEST(JudgeCompared, Float32AsSeededFaultsDemand) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Row rows[] = {
      {"the same", [](float r, std::size_t) { return r; }, Verdict::identical},
      {"one step off", [](float r, std::size_t) { return std::nextafter(r, 9.0F); },
       Verdict::within},
      {"TF32 operands",
       [](float r, std::size_t) { return std::ldexp(std::nearbyint(std::ldexp(r, 10)), -10); },
       Verdict::diverged},
      {"half", [](float r, std::size_t) { return r / 2; }, Verdict::diverged},
      {"twice, at cosine 1", [](float r, std::size_t) { return r * 2; }, Verdict::diverged},
      {"three outliers", [](float r, std::size_t i) { return i % 1500 == 7 ? r + 0.11F : r; },
       Verdict::diverged},
      {"one NaN", [](float r, std::size_t i) { return i == 7 ? kNan : r; }, Verdict::non_finite},
      {"all NaN", [](float, std::size_t) { return kNan; }, Verdict::non_finite},
      {"all zero", [](float, std::size_t) { return 0.0F; }, Verdict::diverged},
  };
  const std::vector<float> reference = normal_values();
  const std::vector<std::byte> reference_bytes = bytes_of(reference);
  for (const Row& row : rows) {
    std::vector<float> candidate(reference);
    for (std::size_t i = 0; i < candidate.size(); ++i)
      candidate[i] = row.candidate(reference[i], i);
    const std::vector<std::byte> candidate_bytes = bytes_of(candidate);
    const Judgement judgement = judge(compared({DType::float32, {kElements}, reference_bytes},
                                               {DType::float32, {kElements}, candidate_bytes}),
                                      TapKind::output, default_policy());
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what;
  }
}

TEST(JudgeCompared, Bfloat16AsSeededFaultsDemand) {
  const Row rows[] = {
      {"the same", [](float r, std::size_t) { return r; }, Verdict::identical},
      {"one step up everywhere", [](float r, std::size_t) { return r * 1.00585F; },
       Verdict::within},
      {"0.2 percent off",
       [](float r, std::size_t i) { return r + (i % 2 == 0 ? 0.003F : -0.003F); }, Verdict::within},
      {"10 percent off", [](float r, std::size_t) { return r * 1.1F; }, Verdict::diverged},
      {"three outliers of a third of the rms",
       [](float r, std::size_t i) { return i % 1500 == 7 ? r + 0.3F : r; }, Verdict::suspect},
      {"three outliers of three rms",
       [](float r, std::size_t i) { return i % 1500 == 7 ? r + 3 : r; }, Verdict::diverged},
      {"half of the mass gone in one row",
       [](float r, std::size_t i) { return i < 64 ? r / 2 : r; }, Verdict::diverged},
  };
  const std::vector<float> values = normal_values();
  std::vector<std::uint16_t> reference;
  for (const float value : values) reference.push_back(bfloat16_bits(value));
  const std::vector<std::byte> reference_bytes = bytes_of(reference);
  for (const Row& row : rows) {
    std::vector<std::uint16_t> candidate;
    for (std::size_t i = 0; i < values.size(); ++i)
      candidate.push_back(bfloat16_bits(row.candidate(values[i], i)));
    const std::vector<std::byte> candidate_bytes = bytes_of(candidate);
    const Judgement judgement = judge(compared({DType::bfloat16, {kElements}, reference_bytes},
                                               {DType::bfloat16, {kElements}, candidate_bytes}),
                                      TapKind::module, default_policy());
    std::string reasons;
    for (const std::string& reason : judgement.reasons) reasons += reason + "\n";
    EXPECT_EQ(run::name(judgement.verdict), run::name(row.verdict)) << row.what << "\n" << reasons;
  }
}

TEST(JudgeCompared, AccountsForEveryDtypeAndForOddShapes) {
  for (const DType dtype : tensor::all_dtypes()) {
    for (const tensor::Shape& shape : {tensor::Shape{}, {0, 5}, {3, 0, 2}, {2, 3}}) {
      std::vector<std::byte> bytes(tensor::element_count(shape) * tensor::size_bytes(dtype));
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(dtype == DType::boolean ? i % 2 : i + 1);
      }
      const Judgement judgement = judge(compared({dtype, shape, bytes}, {dtype, shape, bytes}),
                                        TapKind::module, default_policy());
      EXPECT_EQ(judgement.verdict, Verdict::identical)
          << tensor::name(dtype) << " " << tensor::to_string(shape);
    }
  }
}

TEST(JudgeCompared, TrustsNoConstantOutput) {
  const std::vector<std::vector<float>> rows = {
      std::vector<float>(64, 0.0F), std::vector<float>(64, 1.5F),
      std::vector<float>(64, std::numeric_limits<float>::quiet_NaN())};
  for (const std::vector<float>& values : rows) {
    const std::vector<std::byte> bytes = bytes_of(values);
    const compare::Outcome outcome =
        compared({DType::float32, {64}, bytes}, {DType::float32, {64}, bytes});
    EXPECT_EQ(judge(outcome, TapKind::output, default_policy()).verdict, Verdict::untrusted)
        << values[0];
    EXPECT_EQ(judge(outcome, TapKind::module, default_policy()).verdict, Verdict::identical)
        << values[0];
  }
}

TEST(JudgeCompared, LogitsThatAreNanOnBothSides) {
  std::vector<float> values = normal_values();
  constexpr std::int64_t kVocabulary = 64;
  values[3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::byte> bytes = bytes_of(values);
  const tensor::TensorView view{DType::float32, {kElements / kVocabulary, kVocabulary}, bytes};
  const compare::LogitsComparison logits =
      compare::compare_logits(compare::Reference{view}, compare::Candidate{view}, {});
  EXPECT_EQ(judge_logits(logits, default_policy()).verdict, Verdict::non_finite);
  EXPECT_EQ(judge_logits(logits, compared(view, view), default_policy()).verdict, Verdict::suspect);

  const std::vector<std::byte> all_nan =
      bytes_of(std::vector<float>(kElements, std::numeric_limits<float>::quiet_NaN()));
  const tensor::TensorView nothing{DType::float32, {kElements / kVocabulary, kVocabulary}, all_nan};
  const compare::LogitsComparison no_rows =
      compare::compare_logits(compare::Reference{nothing}, compare::Candidate{nothing}, {});
  EXPECT_EQ(judge_logits(no_rows, compared(nothing, nothing), default_policy()).verdict,
            Verdict::untrusted);
}

TEST(JudgeCompared, ASharedConstantPerRowOfLogitsIsSeenByTheTapAlone) {
  const std::vector<float> values = normal_values();
  constexpr std::size_t kVocabulary = 64;
  std::vector<float> shifted(values);
  for (std::size_t i = 0; i < shifted.size(); ++i)
    shifted[i] += 0.5F + static_cast<float>(i / kVocabulary) / 64;
  const std::vector<std::byte> reference = bytes_of(values);
  const std::vector<std::byte> candidate = bytes_of(shifted);
  const tensor::Shape shape = {kElements / 64, 64};
  const tensor::TensorView left{DType::float32, shape, reference};
  const tensor::TensorView right{DType::float32, shape, candidate};
  EXPECT_EQ(judge(compared(left, right), TapKind::output, default_policy()).verdict,
            Verdict::diverged);
  const compare::LogitsComparison logits =
      compare::compare_logits(compare::Reference{left}, compare::Candidate{right}, {});
  EXPECT_EQ(judge_logits(logits, default_policy()).verdict, Verdict::within);
}

}  // namespace
}  // namespace parity::gate

// The counted and fused ways of 8-bit types and integers against the careful way, which looks at
// one pair at a time: every figure, for any number of threads, on every SIMD target.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/careful_pass.h"
#include "compare/made_tensor.h"
#include "compare/main_pass.h"

namespace parity::compare {
namespace {

using tensor::DType;

constexpr std::size_t kWorst = 10;

/// Whether float64 sums of products are exact, and so the same in any order.
enum class Sums : std::uint8_t { exact, rounded };

struct Sides {
  tensor::HostTensor reference;
  tensor::HostTensor candidate;
};

MainPass carefully(const Sides& sides) {
  const auto source =
      make_pair_source(Reference{sides.reference.view()}, Candidate{sides.candidate.view()});
  MainPass pass{Tally(kWorst), {}};
  std::vector<ChunkSums> sums;
  for (std::uint64_t first = 0; first < source->elements(); first += kChunkElements) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(kChunkElements, source->elements() - first));
    compare_carefully(*source, first, count, pass.tally, sums.emplace_back());
  }
  pass.sums = add_in_order(sums);
  return pass;
}

MainPass fast(const Sides& sides, int threads) {
  const Reference reference{sides.reference.view()};
  const Candidate candidate{sides.candidate.view()};
  return run_main_pass(reference, candidate, *make_pair_source(reference, candidate), kWorst,
                       threads);
}

void expect_equal_tallies(const Tally& tally, const Tally& expected) {
  EXPECT_EQ(tally.classes, expected.classes);
  EXPECT_EQ(tally.ulp, expected.ulp);
  EXPECT_EQ(tally.relative, expected.relative);
  EXPECT_EQ(tally.max_ulp, expected.max_ulp);
  EXPECT_EQ(tally.max_relative, expected.max_relative);
  EXPECT_EQ(tally.max_absolute, expected.max_absolute);
  const auto worst = tally.worst.sorted();
  const auto expected_worst = expected.worst.sorted();
  ASSERT_EQ(worst.size(), expected_worst.size());
  for (std::size_t i = 0; i < worst.size(); ++i) {
    EXPECT_EQ(worst[i].one_sided, expected_worst[i].one_sided) << i;
    EXPECT_EQ(worst[i].ulp, expected_worst[i].ulp) << i;
    EXPECT_EQ(worst[i].index, expected_worst[i].index) << i;
  }
}

void expect_near(const WideReal& value, const WideReal& expected, double scale, Sums exactness) {
  if (exactness == Sums::exact) {
    EXPECT_EQ(to_double(value), to_double(expected));
  } else {
    EXPECT_NEAR(to_double(value), to_double(expected), 1e-11 * scale);
  }
}

void expect_equal_sums(const TensorSums& sums, const TensorSums& expected, Sums exactness) {
  const double reference = to_double(expected.reference_squared);
  const double candidate = to_double(expected.candidate_squared);
  const double both = reference + candidate;
  expect_near(sums.reference_squared, expected.reference_squared, reference, exactness);
  expect_near(sums.candidate_squared, expected.candidate_squared, candidate, exactness);
  expect_near(sums.product, expected.product, both, exactness);
  expect_near(sums.difference_squared, expected.difference_squared, both, exactness);
  expect_near(sums.difference, expected.difference, 1000 * std::sqrt(both), exactness);
}

/// Bit for bit the same as with one thread.
void expect_same(const MainPass& pass, const MainPass& expected) {
  expect_equal_tallies(pass.tally, expected.tally);
  expect_equal_sums(pass.sums, expected.sums, Sums::exact);
}

void expect_the_careful_way(const Sides& sides, Sums exactness) {
  SCOPED_TRACE(tensor::name(sides.reference.view().dtype));
  const MainPass expected = carefully(sides);
  const MainPass pass = fast(sides, 1);
  expect_equal_tallies(pass.tally, expected.tally);
  expect_equal_sums(pass.sums, expected.sums, exactness);
  for (int threads = 2; threads <= 8; ++threads) {
    SCOPED_TRACE(threads);
    expect_same(fast(sides, threads), pass);
  }
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    expect_same(fast(sides, 1), pass);
    hwy::SetSupportedTargetsForTest(0);
  }
}

template <typename T>
Sides sides_of(DType dtype, const std::vector<T>& reference, const std::vector<T>& candidate) {
  return {made_vector(dtype, reference), made_vector(dtype, candidate)};
}

struct ByteType {
  DType dtype;
  Sums sums;
};

constexpr ByteType kByteTypes[] = {{DType::float8_e4m3fn, Sums::rounded},
                                   {DType::float8_e4m3fnuz, Sums::rounded},
                                   {DType::float8_e5m2, Sums::rounded},
                                   {DType::float8_e5m2fnuz, Sums::rounded},
                                   {DType::int8, Sums::exact},
                                   {DType::uint8, Sums::exact},
                                   {DType::boolean, Sums::exact}};

TEST(ByteTypes, EveryPairIsMeasuredAsTheCarefulWayMeasuresIt) {
  std::vector<int> pairs;
  // Different numbers of each, in disorder, and a size that no block or chunk divides.
  std::mt19937 random(1);
  for (int pair = 0; pair < 65536; ++pair) pairs.insert(pairs.end(), 1 + random() % 3, pair);
  std::shuffle(pairs.begin(), pairs.end(), random);
  std::vector<std::uint8_t> reference;
  std::vector<std::uint8_t> candidate;
  for (const int pair : pairs) {
    reference.push_back(static_cast<std::uint8_t>(pair >> 8));
    candidate.push_back(static_cast<std::uint8_t>(pair & 0xFF));
  }
  // Identical stretches, in which every byte occurs.
  for (std::size_t i = 5000; i < 30000; ++i) reference[i] = candidate[i];
  for (const ByteType& type : kByteTypes)
    expect_the_careful_way(sides_of(type.dtype, reference, candidate), type.sums);
}

TEST(ByteTypes, OfAnySizeAreMeasuredAsTheCarefulWayMeasuresThem) {
  std::mt19937 random(2);
  for (const std::size_t count : {0U, 1U, 63U, 8192U, 8193U, 8200U, 65536U, 65537U}) {
    SCOPED_TRACE(count);
    std::vector<std::uint8_t> reference(count);
    for (std::uint8_t& value : reference) value = static_cast<std::uint8_t>(random());
    std::vector<std::uint8_t> candidate = reference;
    for (std::size_t i = 0; i < count; i += 1 + random() % 700)
      candidate[i] = static_cast<std::uint8_t>(candidate[i] + random() % 3);
    for (const ByteType& type : kByteTypes)
      expect_the_careful_way(sides_of(type.dtype, reference, candidate), type.sums);
  }
}

TEST(ByteTypes, OneSidedPairsLateInTheTensorAreTheWorst) {
  std::vector<std::uint8_t> reference(200000, 0x38);
  std::vector<std::uint8_t> candidate = reference;
  for (std::size_t i = 0; i < 100; ++i) candidate[i] = 0x78;
  for (const std::size_t i : {70000U, 199999U}) candidate[i] = 0xFF;  // NaN in three formats
  for (const std::size_t i : {80000U, 199998U}) candidate[i] = 0x80;  // NaN in two
  for (const std::size_t i : {90000U, 199997U}) reference[i] = 0x7C;  // Inf in one
  for (const ByteType& type : kByteTypes)
    expect_the_careful_way(sides_of(type.dtype, reference, candidate), type.sums);
}

/// The values at which integers and float64 do something special.
template <typename T>
std::vector<T> awkward_integers() {
  using Bits = std::make_unsigned_t<T>;
  std::vector<T> values;
  for (int bit = 0; bit < std::numeric_limits<Bits>::digits; ++bit) {
    const auto power = static_cast<Bits>(Bits{1} << bit);
    for (const int step : {-1, 0, 1}) {
      const auto value = static_cast<Bits>(power + static_cast<Bits>(step));
      values.push_back(static_cast<T>(value));
      values.push_back(static_cast<T>(~value));
    }
  }
  values.push_back(std::numeric_limits<T>::min());
  values.push_back(std::numeric_limits<T>::max());
  return values;
}

template <typename T>
void expect_integers_the_careful_way(DType dtype, Sums exactness) {
  std::vector<T> reference;
  std::vector<T> candidate;
  const std::vector<T> values = awkward_integers<T>();
  for (const T r : values) {
    for (const T c : values) {
      reference.push_back(r);
      candidate.push_back(c);
    }
  }
  std::mt19937_64 random(3);
  const std::size_t all_pairs = reference.size();
  while (reference.size() < 150007) {
    // Of every size, and as far apart as that.
    const auto value = static_cast<T>(random() >> (random() % 64));
    const auto apart = static_cast<T>(random() >> (random() % 64));
    reference.push_back(value);
    candidate.push_back(random() % 3 == 0 ? value : static_cast<T>(value ^ apart));
  }
  for (std::size_t i = all_pairs + 1000; i < all_pairs + 9000; ++i) candidate[i] = reference[i];
  expect_the_careful_way(sides_of(dtype, reference, candidate), exactness);
  // A side of zeros: sums of it are exactly 0.
  const std::vector<T> zeros(reference.size());
  expect_the_careful_way(sides_of(dtype, reference, zeros), exactness);
  expect_the_careful_way(sides_of(dtype, zeros, candidate), exactness);
  expect_the_careful_way(sides_of(dtype, zeros, zeros), exactness);
}

TEST(Integers, OfTwoBytesOrMoreAreMeasuredAsTheCarefulWayMeasuresThem) {
  expect_integers_the_careful_way<std::int16_t>(DType::int16, Sums::exact);
  expect_integers_the_careful_way<std::uint16_t>(DType::uint16, Sums::exact);
  expect_integers_the_careful_way<std::int32_t>(DType::int32, Sums::rounded);
  expect_integers_the_careful_way<std::uint32_t>(DType::uint32, Sums::rounded);
  expect_integers_the_careful_way<std::int64_t>(DType::int64, Sums::rounded);
  expect_integers_the_careful_way<std::uint64_t>(DType::uint64, Sums::rounded);
}

TEST(Integers, OfAnySizeAreMeasuredAsTheCarefulWayMeasuresThem) {
  std::mt19937 random(4);
  for (const std::size_t count : {0U, 1U, 7U, 64U, 65U, 1023U, 1025U, 65537U}) {
    SCOPED_TRACE(count);
    std::vector<std::int32_t> reference(count);
    for (std::int32_t& value : reference) value = static_cast<std::int32_t>(random() % 50) - 20;
    std::vector<std::int32_t> candidate = reference;
    for (std::int32_t& value : candidate) value += random() % 4 == 0 ? 3 : 0;
    expect_the_careful_way(sides_of(DType::int32, reference, candidate), Sums::exact);
  }
}

TEST(Integers, AllEqualPairsOfAChunkFitTheirCounters) {
  std::vector<std::int16_t> reference(3 * kChunkElements, 7);
  std::vector<std::int16_t> candidate(reference.size(), 7);
  for (std::size_t i = 0; i < candidate.size(); i += 512) candidate[i] = 8;
  expect_the_careful_way(sides_of(DType::int16, reference, candidate), Sums::exact);
  candidate.assign(candidate.size(), 8);
  expect_the_careful_way(sides_of(DType::int16, reference, candidate), Sums::exact);
}

}  // namespace
}  // namespace parity::compare

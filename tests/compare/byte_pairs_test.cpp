// The two parts of the way of 8-bit types: counting pairs, and telling how far apart a block is.
#include "compare/byte_pairs.h"

#include <array>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "compare/byte_scan.h"
#include "compare/made_tensor.h"
#include "compare/pair.h"

namespace parity::compare {
namespace {

using tensor::DType;

TEST(BytePairs, CountOnWhenTheShortCountersAreFull) {
  const std::vector<std::uint8_t> reference(100, 3);
  const std::vector<std::uint8_t> candidate(100, 5);
  BytePairs pairs(250);
  for (int i = 0; i < 7; ++i) {
    pairs.add(reference, candidate);
    pairs.add_same(reference);
  }
  std::vector<std::uint64_t> totals(kBytePairs);
  totals[byte_pair(3, 5)] = 1;
  pairs.move_to(totals);
  EXPECT_EQ(totals[byte_pair(3, 5)], 701U);
  EXPECT_EQ(totals[byte_pair(3, 3)], 700U);
  pairs.move_to(totals);
  EXPECT_EQ(totals[byte_pair(3, 5)], 701U) << "what was moved is forgotten";
}

TEST(BytePairs, CountEveryPairOnceOnEverySimdTarget) {
  std::vector<std::uint8_t> reference;
  std::vector<std::uint8_t> candidate;
  for (std::size_t pair = 0; pair < kBytePairs; ++pair) {
    reference.push_back(static_cast<std::uint8_t>(pair >> 8U));
    candidate.push_back(static_cast<std::uint8_t>(pair & 0xFFU));
  }
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    BytePairs pairs;
    pairs.add(reference, candidate);
    std::vector<std::uint64_t> totals(kBytePairs);
    pairs.move_to(totals);
    EXPECT_EQ(totals, std::vector<std::uint64_t>(kBytePairs, 1)) << hwy::TargetName(target);
    hwy::SetSupportedTargetsForTest(0);
  }
}

void expect_distance_of_every_pair(DType dtype) {
  std::array<std::byte, 1> reference;
  std::array<std::byte, 1> candidate;
  const tensor::TensorView reference_view{dtype, {1}, reference};
  const tensor::TensorView candidate_view{dtype, {1}, candidate};
  const auto source = make_pair_source(Reference{reference_view}, Candidate{candidate_view});
  for (std::size_t bits = 0; bits < kBytePairs; ++bits) {
    reference[0] = static_cast<std::byte>(bits >> 8U);
    candidate[0] = static_cast<std::byte>(bits & 0xFFU);
    Pair pair;
    source->read(0, std::span<Pair>(&pair, 1));
    // At both ends of a block, whose other pairs are equal.
    std::array<std::uint8_t, 131> r{};
    std::array<std::uint8_t, 131> c{};
    const std::size_t place = bits % 2 == 0 ? 5 : 130;
    r[place] = std::to_integer<std::uint8_t>(reference[0]);
    c[place] = std::to_integer<std::uint8_t>(candidate[0]);
    const ByteScan scan = scan_bytes(dtype, r, c);
    EXPECT_EQ(scan.same_bytes, reference == candidate) << bits;
    if (pair.kind == PairKind::finite) {
      EXPECT_EQ(scan.max_ulp, pair.ulp) << bits;
      EXPECT_FALSE(scan.maybe_one_sided) << bits;
    }
    EXPECT_TRUE(scan.maybe_one_sided || !is_one_sided(pair.kind)) << bits;
  }
}

TEST(ByteScan, TellsTheDistanceOfEveryPairOnEverySimdTarget) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const DType dtype : tensor::all_dtypes()) {
      if (tensor::size_bytes(dtype) != 1) continue;
      SCOPED_TRACE(std::string(tensor::name(dtype)) + " " + hwy::TargetName(target));
      expect_distance_of_every_pair(dtype);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace
}  // namespace parity::compare

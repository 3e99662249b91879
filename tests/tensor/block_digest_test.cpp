// Digests from sums over blocks are those of the whole, at every length where XXH3 changes its way.
#include "tensor/block_digest.h"

#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// What a device would hand over.
std::vector<std::byte> sums_of(const std::vector<std::byte>& bytes) {
  const BlockSumLayout layout = block_sum_layout(bytes.size());
  std::vector<std::byte> sums(layout.size_bytes());
  for (std::size_t block = 0; block < layout.blocks; ++block) {
    std::array<std::uint64_t, kDigestLanes> lanes{};
    sum_block(std::span<const std::byte, kDigestBlockBytes>(
                  bytes.data() + block * kDigestBlockBytes, kDigestBlockBytes),
              lanes);
    std::memcpy(sums.data() + block * sizeof(lanes), lanes.data(), sizeof(lanes));
  }
  std::memcpy(sums.data() + layout.sums_bytes(), bytes.data() + layout.tail_first,
              layout.tail_bytes);
  return sums;
}

TEST(BlockDigest, IsTheDigestOfTheWholeAtEveryLength) {
  for (std::size_t size = 241; size < 2 * kDigestBlockBytes + 200; ++size) {
    const std::vector<std::byte> bytes = random_bytes(size);
    ASSERT_EQ(digest_of_sums(sums_of(bytes), size), digest_of(bytes)) << size;
  }
  for (const std::size_t size : {4096U, 4097U, 65536U, 65599U, 1000000U, 1048576U}) {
    const std::vector<std::byte> bytes = random_bytes(size);
    ASSERT_EQ(digest_of_sums(sums_of(bytes), size), digest_of(bytes)) << size;
  }
}

TEST(BlockDigest, HandsOverASixteenthOfTheBytes) {
  const BlockSumLayout layout = block_sum_layout(std::size_t{1} << 20U);
  EXPECT_EQ(layout.blocks, 1023U);
  EXPECT_EQ(layout.tail_first, 1023U * 1024U - 64U);
  EXPECT_EQ(layout.size_bytes(), 1023U * 64U + 1088U);
}

TEST(BlockDigest, TellsOneBitOfASumApart) {
  const std::vector<std::byte> bytes = random_bytes(5000);
  std::vector<std::byte> sums = sums_of(bytes);
  for (const std::size_t at : {std::size_t{0}, std::size_t{100}, sums.size() - 1}) {
    sums[at] ^= std::byte{16};
    EXPECT_NE(digest_of_sums(sums, bytes.size()), digest_of(bytes)) << at;
    sums[at] ^= std::byte{16};
  }
}

}  // namespace
}  // namespace parity::tensor

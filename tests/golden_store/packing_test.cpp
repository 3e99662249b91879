// Pieces of tensors: packed and unpacked, and what no packer made.
#include "golden_store/packing.h"

#include <random>

#include <gtest/gtest.h>

namespace parity::golden_store {
namespace {

class Packing : public testing::TestWithParam<run::Packer> {
 protected:
  [[nodiscard]] std::vector<std::byte> pack(const std::vector<std::byte>& bytes,
                                            int level = 1) const {
    return packed(bytes, {GetParam(), level});
  }
  [[nodiscard]] bool unpacks(const std::vector<std::byte>& from, std::vector<std::byte>& to) const {
    return unpack(from, GetParam(), to);
  }
};

std::vector<std::byte> noise(std::size_t count) {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST_P(Packing, GivesBackEveryByte) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20U}) {
    for (const std::vector<std::byte>& bytes : {noise(size), std::vector<std::byte>(size)}) {
      for (const int level : {1, 9}) {
        std::vector<std::byte> back(size, std::byte{7});
        EXPECT_TRUE(unpacks(pack(bytes, level), back));
        EXPECT_EQ(back, bytes);
      }
    }
  }
}

TEST_P(Packing, NeverExpandsBeyondWhatReadersAllow) {
  for (const std::size_t size : {std::size_t{1} << 20U, std::size_t{70'000}, std::size_t{2000}})
    EXPECT_LE(size / kMaxExpansion, pack(std::vector<std::byte>(size)).size()) << size;
}

TEST_P(Packing, RefusesWhatUnpacksToAnotherSize) {
  const std::vector<std::byte> bytes = noise(1000);
  std::vector<std::byte> less(999);
  std::vector<std::byte> more(1001);
  EXPECT_FALSE(unpacks(pack(bytes), less));
  EXPECT_FALSE(unpacks(pack(bytes), more));
}

TEST_P(Packing, RefusesEveryCutAndNoise) {
  const std::vector<std::byte> whole = pack(noise(300));
  std::vector<std::byte> back(300);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(unpacks({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}, back))
        << size;
  }
  EXPECT_FALSE(unpacks(noise(500), back));
}

INSTANTIATE_TEST_SUITE_P(Packers, Packing, testing::Values(run::Packer::gzip, run::Packer::zstd));

}  // namespace
}  // namespace parity::golden_store

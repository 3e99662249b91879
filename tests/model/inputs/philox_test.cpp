// The generator's bits: the published test vectors, and how words are taken from blocks.
#include "model/inputs/philox.h"

#include <gtest/gtest.h>

namespace parity::model {
namespace {

using Block = std::array<std::uint32_t, 4>;

TEST(Philox, GivesThePublishedTestVectors) {
  // Random123, tests/kat_vectors, philox4x32 with 10 rounds.
  struct Row {
    Block counter;
    std::array<std::uint32_t, 2> key;
    Block block;
  };
  const std::array<Row, 3> rows = {{
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  }};
  for (const Row& row : rows) EXPECT_EQ(philox_block(row.counter, row.key), row.block);
}

TEST(Philox, TakesTwoWordsFromEachBlock) {
  // Made by another implementation, in Python.
  const PhiloxWords words(7, 3);
  const std::array<std::uint64_t, 6> wanted = {0x1fb03c4297b356d9, 0x998b461029a796e8,
                                               0x75ba33d8965f7ece, 0x85aeabe4124039f2,
                                               0xeaff12705f760812, 0x5800daf54d0c13f6};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(words.word(i), wanted[i]) << i;
}

TEST(Philox, UsesAllBitsOfSeedStreamAndIndex) {
  constexpr std::uint64_t kHigh = std::uint64_t{1} << 40U;
  const std::uint64_t base = PhiloxWords(1, 2).word(4);
  EXPECT_NE(base, PhiloxWords(1 + kHigh, 2).word(4));
  EXPECT_NE(base, PhiloxWords(1, 2 + kHigh).word(4));
  EXPECT_NE(base, PhiloxWords(1, 2).word(4 + kHigh));
}

}  // namespace
}  // namespace parity::model

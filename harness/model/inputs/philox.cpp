#include "model/inputs/philox.h"

namespace parity::model {
namespace {

constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
constexpr int kRounds = 10;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

}  // namespace

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {high(product1) ^ counter[1] ^ key[0], low(product1),
               high(product0) ^ counter[3] ^ key[1], low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint64_t PhiloxWords::word(std::uint64_t index) const {
  const std::uint64_t block_index = index / 2;
  const std::array<std::uint32_t, 4> block =
      philox_block({low(block_index), high(block_index), low(stream_), high(stream_)},
                   {low(seed_), high(seed_)});
  const std::size_t first = index % 2 == 0 ? 0 : 2;
  return block[first] | static_cast<std::uint64_t>(block[first + 1]) << 32U;
}

}  // namespace parity::model

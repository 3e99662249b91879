// XXH3's long hash as its specification has it
// (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), from the accumulation of a
// block on.
#include "tensor/block_digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "error/error.h"

// One function for each of these instruction sets; which of them runs is decided when the program
// runs.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define PARITY_FOR_EVERY_X86 \
  __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define PARITY_FOR_EVERY_X86
#endif

namespace parity::tensor {
namespace {

constexpr std::uint64_t kPrime32_1 = 0x9E3779B1;
constexpr std::uint64_t kPrime32_2 = 0x85EBCA77;
constexpr std::uint64_t kPrime32_3 = 0xC2B2AE3D;
constexpr std::uint64_t kPrime64_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime64_2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime64_3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime64_4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime64_5 = 0x27D4EB2F165667C5;
constexpr std::uint64_t kPrimeMx1 = 0x165667919E3779F9;

/// The default secret of the specification.
constexpr std::size_t kSecretBytes = 192;
constexpr std::array<std::uint8_t, kSecretBytes> kSecret = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

using Accumulators = std::array<std::uint64_t, kDigestLanes>;

std::uint64_t word_at(const void* bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

void add_stripe(const std::byte* stripe, const std::uint8_t* key, std::uint64_t* sums) {
  for (std::size_t lane = 0; lane < kDigestLanes; ++lane) {
    const std::uint64_t word = word_at(stripe + 8 * lane);
    const std::uint64_t keyed = word ^ word_at(key + 8 * lane);
    sums[lane ^ 1U] += word;
    sums[lane] += (keyed & 0xFFFFFFFFU) * (keyed >> 32U);
  }
}

/// Adds and stirs block after block, each of which waits for the one before.
PARITY_FOR_EVERY_X86
void absorb(const std::uint64_t* sums, std::size_t blocks, Accumulators& accumulators) {
  const std::uint8_t* key = kSecret.data() + kSecretBytes - kDigestStripeBytes;
  std::array<std::uint64_t, kDigestLanes> keys;
  for (std::size_t lane = 0; lane < kDigestLanes; ++lane) keys[lane] = word_at(key + 8 * lane);
  Accumulators lanes = accumulators;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (std::size_t lane = 0; lane < kDigestLanes; ++lane) {
      const std::uint64_t value = lanes[lane] + sums[block * kDigestLanes + lane];
      lanes[lane] = (value ^ (value >> 47U) ^ keys[lane]) * kPrime32_1;
    }
  }
  accumulators = lanes;
}

std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

std::uint64_t merged(const Accumulators& lanes, const std::uint8_t* key, std::uint64_t start) {
  std::uint64_t value = start;
  for (std::size_t pair = 0; pair < 4; ++pair) {
    value += folded_product(lanes[2 * pair] ^ word_at(key + 16 * pair),
                            lanes[2 * pair + 1] ^ word_at(key + 16 * pair + 8));
  }
  value ^= value >> 37U;
  value *= kPrimeMx1;
  return value ^ value >> 32U;
}

}  // namespace

const std::array<std::uint64_t, 23>& digest_block_keys() {
  static const std::array<std::uint64_t, 23> keys = [] {
    std::array<std::uint64_t, 23> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word_at(kSecret.data() + 8 * i);
    return words;
  }();
  return keys;
}

BlockSumLayout block_sum_layout(std::size_t length) {
  PARITY_CHECK(length > 240);
  BlockSumLayout layout;
  layout.blocks = (length - 1) / kDigestBlockBytes;
  const std::size_t summed = layout.blocks * kDigestBlockBytes;
  layout.tail_first = summed == 0 ? 0 : summed - kDigestStripeBytes;
  layout.tail_bytes = length - layout.tail_first;
  return layout;
}

void sum_block(std::span<const std::byte, kDigestBlockBytes> block,
               std::span<std::uint64_t, kDigestLanes> sums) {
  std::fill(sums.begin(), sums.end(), std::uint64_t{0});
  for (std::size_t stripe = 0; stripe < kDigestBlockBytes / kDigestStripeBytes; ++stripe) {
    add_stripe(block.data() + stripe * kDigestStripeBytes, kSecret.data() + 8 * stripe,
               sums.data());
  }
}

Digest digest_of_sums(std::span<const std::byte> sums, std::size_t length) {
  const BlockSumLayout layout = block_sum_layout(length);
  PARITY_CHECK(sums.size() == layout.size_bytes());
  Accumulators lanes = {kPrime32_3, kPrime64_1, kPrime64_2, kPrime64_3,
                        kPrime64_4, kPrime32_2, kPrime64_5, kPrime32_1};
  const auto* block_sums = reinterpret_cast<const std::uint64_t*>(sums.data());
  absorb(block_sums, layout.blocks, lanes);
  // Whole stripes with at least one byte behind them, then the last 64 bytes, which may overlap.
  const std::span<const std::byte> tail = sums.subspan(layout.sums_bytes());
  std::size_t at = layout.blocks * kDigestBlockBytes - layout.tail_first;
  for (std::size_t stripe = 0; at + kDigestStripeBytes < tail.size(); ++stripe) {
    add_stripe(tail.data() + at, kSecret.data() + 8 * stripe, lanes.data());
    at += kDigestStripeBytes;
  }
  add_stripe(tail.data() + tail.size() - kDigestStripeBytes,
             kSecret.data() + kSecretBytes - kDigestStripeBytes - 7, lanes.data());
  const std::uint64_t low = merged(lanes, kSecret.data() + 11, length * kPrime64_1);
  const std::uint64_t high = merged(lanes, kSecret.data() + kSecretBytes - kDigestStripeBytes - 11,
                                    ~(length * kPrime64_2));
  Digest digest;
  for (std::size_t i = 0; i < 8; ++i) {
    digest.bytes.at(i) = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    digest.bytes.at(8 + i) = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return digest;
}

}  // namespace parity::tensor

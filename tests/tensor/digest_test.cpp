// Tests of digests against vectors that another implementation of XXH3-128 computed
// (python-xxhash 4.1.0).
#include "tensor/digest.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace parity::tensor {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

/// Byte i is rule(i) modulo 256.
template <typename Rule>
std::vector<std::byte> pattern(std::size_t size, Rule rule) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(rule(i) & 255U);
  return bytes;
}

struct Vector {
  std::vector<std::byte> bytes;
  std::string hex;
};

// Lengths reach every internal path of the algorithm: empty, up to 3, 4-16, up to 240, and the long
// loop.
std::vector<Vector> known_vectors() {
  return {
      {{}, "99aa06d3014798d86001c324468d497f"},
      {bytes_of("a"), "a96faf705af16834e6c632b61e964e1f"},
      {bytes_of("abc"), "06b05ab6733a618578af5f94892f3950"},
      {pattern(256, [](std::size_t i) { return i; }), "f1f8a93f50849ac39408a4433b952d71"},
      {pattern(1000, [](std::size_t i) { return i * 7 + 3; }), "6bcc7eff62da44c26c4f14bd97bd9e82"},
      {pattern(100000, [](std::size_t i) { return i * i >> 3U; }),
       "bb34bf7b2426ababde7b34649650c701"}};
}

TEST(Digest, AgreesWithKnownVectors) {
  for (const Vector& row : known_vectors())
    EXPECT_EQ(to_hex(digest_of(row.bytes)), row.hex) << row.bytes.size();
}

TEST(Digest, IsTheSameHoweverTheBytesArrive) {
  for (const Vector& row : known_vectors()) {
    for (const std::size_t step :
         {std::size_t{1}, std::size_t{7}, std::size_t{240}, std::size_t{4096}}) {
      DigestStream stream;
      for (std::size_t at = 0; at < row.bytes.size(); at += step) {
        stream.update(std::span(row.bytes).subspan(at, std::min(step, row.bytes.size() - at)));
      }
      EXPECT_EQ(to_hex(stream.finish()), row.hex)
          << row.bytes.size() << " bytes in steps of " << step;
    }
  }
}

TEST(Digest, StreamGoesOnAfterItWasAskedAndMoved) {
  DigestStream first;
  first.update(bytes_of("a"));
  EXPECT_EQ(first.finish(), digest_of(bytes_of("a")));
  DigestStream second = std::move(first);
  second.update(bytes_of("bc"));
  EXPECT_EQ(second.finish(), digest_of(bytes_of("abc")));
}

TEST(Digest, ChangesWithEveryBit) {
  auto bytes = pattern(64, [](std::size_t i) { return i; });
  const Digest before = digest_of(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1U << bit % 8U);
    bytes[bit / 8] ^= mask;
    EXPECT_NE(digest_of(bytes), before) << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
  EXPECT_EQ(digest_of(bytes), before);
}

TEST(Digest, HexRoundTrips) {
  const Digest digest = digest_of(bytes_of("abc"));
  EXPECT_EQ(digest_from_hex(to_hex(digest)), digest);
}

TEST(Digest, OtherTextsAreNoDigest) {
  const std::string good = "06b05ab6733a618578af5f94892f3950";
  for (const std::string& text :
       {std::string(), good.substr(1), good + "0", "0x" + good.substr(2), "G" + good.substr(1),
        good.substr(0, 31) + " ", "06B05AB6" + good.substr(8)}) {
    EXPECT_EQ(digest_from_hex(text), std::nullopt) << '"' << text << '"';
  }
}

}  // namespace
}  // namespace parity::tensor

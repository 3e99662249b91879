// Counts of the pairs of an 8-bit type: there are 65,536 of them, so a tensor is that many numbers,
// and every figure is worked out once per pair that occurs. Knows bytes, not what they mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parity::compare {

inline constexpr std::size_t kBytePairs = 65536;

/// Place of a pair among the counts.
[[nodiscard]] constexpr std::size_t byte_pair(std::uint8_t reference, std::uint8_t candidate) {
  return std::size_t{reference} * 256 + candidate;
}

class BytePairs {
 public:
  /// `room`: pairs that the 32-bit counters take before they are emptied into 64-bit ones.
  explicit BytePairs(std::uint64_t room = std::uint64_t{1} << 31U);

  /// Both spans have the same size, at most `room`.
  void add(std::span<const std::uint8_t> reference, std::span<const std::uint8_t> candidate);
  /// Pairs of each byte with itself.
  void add_same(std::span<const std::uint8_t> values);
  /// Adds what has been counted to `totals`, which has one number per pair, and forgets it.
  void move_to(std::vector<std::uint64_t>& totals);

 private:
  void make_room(std::size_t count);

  std::uint64_t room_;
  std::uint64_t counted_ = 0;  ///< since the counters were last emptied
  std::vector<std::uint32_t> pairs_;
  std::vector<std::uint32_t> same_;
  std::vector<std::uint64_t> emptied_;  ///< no numbers until the counters were full
};

}  // namespace parity::compare

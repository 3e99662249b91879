// Goes over a stretch of pairs through a buffer on the stack. Knows nothing of what is done with
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "compare/pair.h"

namespace parity::compare {

inline constexpr std::size_t kPairsAtOnce = 128;

/// Calls `visit(pair, flat index)` for the `count` pairs from `first` on, in order.
template <typename Visit>
void for_each_pair(const PairSource& source, std::uint64_t first, std::size_t count, Visit visit) {
  std::array<Pair, kPairsAtOnce> pairs;
  for (std::size_t done = 0; done < count; done += kPairsAtOnce) {
    const std::span<Pair> part(pairs.data(), std::min(kPairsAtOnce, count - done));
    source.read(first + done, part);
    for (std::size_t i = 0; i < part.size(); ++i) visit(part[i], first + done + i);
  }
}

/// The same for the pairs at `places`, counted from `first` on.
template <typename Visit>
void for_each_pair_at(const PairSource& source, std::uint64_t first,
                      std::span<const std::uint16_t> places, Visit visit) {
  Pair pair;
  for (const std::uint16_t place : places) {
    source.read(first + place, {&pair, 1});
    visit(pair, first + place);
  }
}

}  // namespace parity::compare

// The careful way through a block: every pair classified on its own, any dtype, any value. Slow and
// complete.
#pragma once

#include <cstdint>
#include <span>

#include "compare/pair.h"
#include "compare/tally.h"

namespace parity::compare {

/// Adds `times` pairs like this one to all figures but the worst elements.
void add_pairs(const Pair& pair, std::uint64_t times, Tally& tally, ChunkSums& sums);

/// Adds the `count` pairs from flat index `first` on to `tally` and `sums`.
void compare_carefully(const PairSource& source, std::uint64_t first, std::size_t count,
                       Tally& tally, ChunkSums& sums);

/// The same for the pairs at `places`, counted from `first` on.
void compare_carefully_at(const PairSource& source, std::uint64_t first,
                          std::span<const std::uint16_t> places, Tally& tally, ChunkSums& sums);

/// Offers the pairs of a block that was tallied another way to the list of worst elements, but for
/// those at the ascending places in `left_out`.
void offer_worst(const PairSource& source, std::uint64_t first, std::size_t count,
                 std::span<const std::uint16_t> left_out, WorstList& worst);

}  // namespace parity::compare

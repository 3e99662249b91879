// Four tables of short counters: a run of equal pairs would wait for its own increments in one.
#include "compare/integer_counts.h"

#include <algorithm>
#include <cstring>

#include "compare/bins.h"
#include "compare/main_pass.h"

namespace parity::compare {
namespace {

constexpr std::size_t kTables = 4;
constexpr std::size_t kPlaces = kUlpBins * kIntegerRelatives;
static_assert(kChunkElements / kTables + kBlockElements <= 65535, "a counter has 16 bits");

/// Whether the counters of four neighbouring places are all 0, as nearly all are.
bool four_unused(const std::uint16_t* tables, std::size_t place) {
  std::uint64_t any = 0;
  for (std::size_t table = 0; table < kTables; ++table) {
    std::uint64_t four = 0;
    std::memcpy(&four, tables + table * kPlaces + place, sizeof(four));
    any |= four;
  }
  return any == 0;
}

}  // namespace

void IntegerCounts::add(std::span<const std::uint64_t> places) {
  if (tables_.empty()) tables_.resize(kTables * kPlaces);
  used_ = true;
  std::uint16_t* table = tables_.data();
  for (std::size_t i = 0; i < places.size(); i += kTables) {
    ++table[places[i]];
    ++table[kPlaces + places[i + 1]];
    ++table[2 * kPlaces + places[i + 2]];
    ++table[3 * kPlaces + places[i + 3]];
  }
}

void IntegerCounts::move_to(std::uint64_t max_ulp, FusedChunk& chunk) {
  if (!used_) return;
  used_ = false;
  constexpr int kToCode = kRelativeCodeBias - kIntegerRelativeBias;
  const std::size_t end = (ulp_bin(max_ulp) + 1) * kIntegerRelatives;
  for (std::size_t place = 0; place < end; ++place) {
    if (place % 4 == 0 && four_unused(tables_.data(), place)) {
      place += 3;
      continue;
    }
    std::uint64_t found = 0;
    for (std::size_t table = 0; table < kTables; ++table) found += tables_[table * kPlaces + place];
    if (found == 0) continue;
    const std::size_t bin = place / kIntegerRelatives;
    const std::size_t relative = place % kIntegerRelatives;
    if (bin == 0) {
      chunk.ulp_codes[kUlpCodeZero] += found;
      continue;
    }
    chunk.wide_ulp[bin] += found;
    chunk.relative_codes[relative == kIntegerRelativeNone ? kRelativeCodeNone
                                                          : relative + kToCode] += found;
  }
  for (std::size_t table = 0; table < kTables; ++table)
    std::fill_n(tables_.begin() + static_cast<std::ptrdiff_t>(table * kPlaces), end,
                std::uint16_t{0});
}

}  // namespace parity::compare

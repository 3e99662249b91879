// Two tables side by side: a run of equal pairs would wait for its own increments in one. More of
// them would leave the second-level cache.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/byte_pairs.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/byte_pairs.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kStep = 16;

/// Counts `count` pairs, a multiple of kStep. Joined by SIMD, since three loads per pair would cost
/// more than its increment.
void CountPairs(const std::uint8_t* reference, const std::uint8_t* candidate, std::size_t count,
                std::uint32_t* even, std::uint32_t* odd) {
  for (std::size_t i = 0; i < count; i += kStep) {
#if HWY_TARGET == HWY_SCALAR
    for (std::size_t k = i; k < i + kStep; k += 2) {
      ++even[byte_pair(reference[k], candidate[k])];
      ++odd[byte_pair(reference[k + 1], candidate[k + 1])];
    }
#else
    const hn::FixedTag<std::uint8_t, kStep> d;
    const hn::Repartition<std::uint64_t, decltype(d)> d64;
    const auto r = hn::LoadU(d, reference + i);
    const auto c = hn::LoadU(d, candidate + i);
    alignas(16) std::uint64_t joined[4];
    hn::Store(hn::BitCast(d64, hn::InterleaveLower(d, c, r)), d64, joined);
    hn::Store(hn::BitCast(d64, hn::InterleaveUpper(d, c, r)), d64, joined + 2);
    for (const std::uint64_t four : joined) {
      ++even[four & 0xFFFFU];
      ++odd[(four >> 16U) & 0xFFFFU];
      ++even[(four >> 32U) & 0xFFFFU];
      ++odd[four >> 48U];
    }
#endif
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "error/error.h"

namespace parity::compare {

HWY_EXPORT(CountPairs);

namespace {

constexpr std::size_t kStepOfPairs = 16;
constexpr std::size_t kPairTables = 2;
constexpr std::size_t kSameTables = 8;

}  // namespace

BytePairs::BytePairs(std::uint64_t room) : room_(room), same_(kSameTables * 256) {}

void BytePairs::make_room(std::size_t count) {
  PARITY_CHECK(count <= room_);
  if (counted_ + count > room_) {
    std::vector<std::uint64_t> totals(kBytePairs);
    move_to(totals);
    emptied_ = std::move(totals);
  }
  counted_ += count;
}

void BytePairs::add(std::span<const std::uint8_t> reference,
                    std::span<const std::uint8_t> candidate) {
  make_room(reference.size());
  if (pairs_.empty()) pairs_.resize(kPairTables * kBytePairs);
  std::uint32_t* even = pairs_.data();
  const std::size_t whole = reference.size() / kStepOfPairs * kStepOfPairs;
  HWY_DYNAMIC_DISPATCH(CountPairs)
  (reference.data(), candidate.data(), whole, even, even + kBytePairs);
  for (std::size_t i = whole; i < reference.size(); ++i)
    ++even[byte_pair(reference[i], candidate[i])];
}

void BytePairs::add_same(std::span<const std::uint8_t> values) {
  make_room(values.size());
  std::uint32_t* tables = same_.data();
  std::size_t i = 0;
  for (; i + kSameTables <= values.size(); i += kSameTables) {
    for (std::size_t table = 0; table < kSameTables; ++table)
      ++tables[table * 256 + values[i + table]];
  }
  for (; i < values.size(); ++i) ++tables[values[i]];
}

void BytePairs::move_to(std::vector<std::uint64_t>& totals) {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    totals[i % kBytePairs] += pairs_[i];
    pairs_[i] = 0;
  }
  for (std::size_t i = 0; i < same_.size(); ++i) {
    totals[i % 256 * 257] += same_[i];
    same_[i] = 0;
  }
  for (std::size_t i = 0; i < emptied_.size(); ++i) totals[i] += emptied_[i];
  emptied_.clear();
  counted_ = 0;
}

}  // namespace parity::compare
#endif  // HWY_ONCE

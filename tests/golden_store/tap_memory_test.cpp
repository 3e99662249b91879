// That the memory of one tap is gone, or the next one's, once the tap is, whatever malloc has
// learned and whatever outlives it.
#include "golden_store/tap_memory.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace parity::golden_store {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::uintptr_t kPageBytes = 4096;

bool is_mapped(std::uintptr_t address) {
  unsigned char resident = 0;
  void* page = reinterpret_cast<void*>(address / kPageBytes * kPageBytes);
  return ::mincore(page, 1, &resident) == 0 || errno != ENOMEM;
}

/// From then on glibc's malloc takes blocks of up to that size from its heap.
void free_a_large_block() {
  void* volatile block = std::malloc(30 * kMiB);
  std::free(block);
}

TEST(TapMemory, OfALargeTapGoesBackThoughLaterFactsStay) {
  free_a_large_block();
  for (const std::size_t size_bytes : {4 * kMiB, 5 * kMiB + 3, 16 * kMiB}) {
    std::shared_ptr<std::byte> tap = uninitialised(size_bytes);
    std::memset(tap.get(), 1, size_bytes);
    const auto first = reinterpret_cast<std::uintptr_t>(tap.get());
    EXPECT_EQ(first % (2 * kMiB), 0U) << "no huge page begins here";
    const std::vector<std::byte> fact(25 * kKiB);
    tap.reset();
    EXPECT_FALSE(is_mapped(first)) << size_bytes;
    EXPECT_FALSE(is_mapped(first + size_bytes - 1)) << size_bytes;
  }
}

TEST(TapMemory, OfSmallerTapsIsTakenAgainForOthersOfAnySize) {
  free_a_large_block();
  const std::byte* reference = nullptr;
  const std::byte* candidate = nullptr;
  std::vector<std::vector<std::byte>> facts;
  for (const std::size_t size_bytes : {2 * kMiB, 128 * kKiB, 4 * kMiB - 1, 513 * kKiB}) {
    const std::shared_ptr<std::byte> one = uninitialised(size_bytes);
    const std::shared_ptr<std::byte> other = uninitialised(size_bytes);
    std::memset(one.get(), 1, size_bytes);
    std::memset(other.get(), 2, size_bytes);
    EXPECT_EQ(one.get()[size_bytes - 1], std::byte{1});
    if (reference != nullptr) {
      EXPECT_TRUE((one.get() == reference && other.get() == candidate) ||
                  (one.get() == candidate && other.get() == reference))
          << size_bytes;
    }
    reference = one.get();
    candidate = other.get();
    facts.emplace_back(25 * kKiB);
  }
}

TEST(TapMemory, OfManySmallerTapsAtOnceIsKeptForTwo) {
  std::vector<std::shared_ptr<std::byte>> taps(5);
  std::vector<std::uintptr_t> places;
  for (std::shared_ptr<std::byte>& tap : taps) {
    tap = uninitialised(kMiB);
    places.push_back(reinterpret_cast<std::uintptr_t>(tap.get()));
  }
  taps.clear();
  int mapped = 0;
  for (const std::uintptr_t place : places) mapped += is_mapped(place) ? 1 : 0;
  EXPECT_EQ(mapped, 2);
}

TEST(TapMemory, OfNothingIsFine) { EXPECT_NE(uninitialised(0), nullptr); }

}  // namespace
}  // namespace parity::golden_store

// What one thread learns while it walks chunks: counts, maxima and the worst elements. All of it
// merges in any order. Floating sums do not, so they live apart in ChunkSums, one per chunk, and
// are added in chunk order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compare/bins.h"
#include "compare/facts.h"
#include "compare/pair.h"

namespace parity::compare {

/// A place in the list of worst elements. Orders by: one-sided non-finite first, larger ulp,
/// smaller index.
struct WorstEntry {
  bool one_sided = false;
  std::uint64_t ulp = 0;
  std::uint64_t index = 0;

  [[nodiscard]] bool worse_than(const WorstEntry& other) const {
    if (one_sided != other.one_sided) return one_sided;
    if (ulp != other.ulp) return ulp > other.ulp;
    return index < other.index;
  }
};

/// Keeps the `capacity` worst entries offered, whatever the order of offers.
class WorstList {
 public:
  explicit WorstList(std::size_t capacity) : capacity_(capacity) {}

  /// True when an element with this distance could still enter; equal distances enter only from
  /// smaller indices.
  [[nodiscard]] bool may_take(std::uint64_t max_ulp, std::uint64_t first_index) const {
    if (capacity_ == 0 || max_ulp == 0) return false;
    return heap_.size() < capacity_ ||
           WorstEntry{false, max_ulp, first_index}.worse_than(heap_.front());
  }
  /// The same for an element with NaN or Inf on one side.
  [[nodiscard]] bool may_take_one_sided(std::uint64_t first_index) const {
    if (capacity_ == 0) return false;
    return heap_.size() < capacity_ || WorstEntry{true, 0, first_index}.worse_than(heap_.front());
  }
  void offer(const WorstEntry& entry);
  [[nodiscard]] const std::vector<WorstEntry>& entries() const { return heap_; }
  [[nodiscard]] std::vector<WorstEntry> sorted() const;

 private:
  std::size_t capacity_;
  std::vector<WorstEntry> heap_;  ///< the least bad in front
};

/// Everything of a walk whose merging is exact.
struct Tally {
  explicit Tally(std::size_t worst_count) : worst(worst_count) {}

  ClassCounts classes;
  UlpCounts ulp{};
  RelativeCounts relative{};
  std::uint64_t max_ulp = 0;
  double max_relative = 0;
  double max_absolute = 0;
  WorstList worst;

  void merge(const Tally& other);
};

/// Sums of products, split by power-of-two scale so that none overflows or vanishes. Entry k holds
/// the sum of products scaled by 2^(600*(2-k)); float64 alone ever uses an entry other than the
/// middle one.
using ScaledSum = std::array<double, 5>;
inline constexpr int kScaleExponent = 600;
inline constexpr std::size_t kUnscaled = 2;

/// Sums over the finite pairs of one chunk; `difference` is scaled by 2^(600*(1-k)).
struct ChunkSums {
  ScaledSum reference_squared{};
  ScaledSum candidate_squared{};
  ScaledSum product{};
  ScaledSum difference_squared{};
  std::array<double, 3> difference{};
};

/// Sums over the tensor: m * 2^exponent, so that nothing is lost at the ends of the float64 range.
struct WideReal {
  double mantissa = 0;
  int exponent = 0;
};

struct TensorSums {
  WideReal reference_squared;
  WideReal candidate_squared;
  WideReal product;
  WideReal difference_squared;
  WideReal difference;
};

/// Adds the chunks in order, with compensation.
[[nodiscard]] TensorSums add_in_order(const std::vector<ChunkSums>& chunks);

/// mantissa * 2^exponent as float64; Inf when it passes the range.
[[nodiscard]] double to_double(const WideReal& value);
/// sqrt(numerator / denominator); the denominator is not zero.
[[nodiscard]] double root_of_ratio(const WideReal& numerator, const WideReal& denominator);
/// product / sqrt(left * right), within [-1, 1]; neither is zero.
[[nodiscard]] double cosine_of(const WideReal& product, const WideReal& left,
                               const WideReal& right);

}  // namespace parity::compare

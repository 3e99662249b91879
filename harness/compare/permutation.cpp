// Sorting both sides decides, and costs more than the rest of a comparison; so what needs no order
// is asked first: sums, smallest and largest values, and a sum of hashes, which equal values in
// another order leave as it is.
#include "compare/permutation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace parity::compare {
namespace {

using tensor::DType;

constexpr std::size_t kPairsAtATime = 1024;

/// How far apart two values of the same rank may be, as a share of the larger: 0 where the type's
/// own rounding leaves equal values equal.
double tolerance_of(DType dtype) {
  const bool wide = dtype == DType::float32 || dtype == DType::float64;
  return wide ? 4 * tensor::unit_roundoff(dtype) : 0;
}

bool same_value(double reference, double candidate, double tolerance) {
  const double scale = std::max(std::abs(reference), std::abs(candidate));
  return std::abs(reference - candidate) <= tolerance * scale;
}

/// Mixes well enough that sums of different values hardly ever agree; -0 hashes as +0.
std::uint64_t hash_of(double value) {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(value + 0.0);
  bits = (bits ^ (bits >> 32U)) * 0xD6E8FEB86659FD93U;
  bits = (bits ^ (bits >> 32U)) * 0xD6E8FEB86659FD93U;
  return bits ^ (bits >> 32U);
}

struct Range {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
};

/// What can be said of both sides without their order.
class Unordered {
 public:
  /// False when a pair is not finite.
  bool add(std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      if (pair.kind != PairKind::finite) return false;
      reference_.add(pair.reference);
      candidate_.add(pair.candidate);
      moved_ += std::abs(pair.difference);
      size_ += std::abs(pair.reference);
      hashes_ += hash_of(pair.reference) - hash_of(pair.candidate);
    }
    return true;
  }

  [[nodiscard]] bool allows_permutation(double tolerance) const {
    // Noise moves sorted values much less than single ones, so closeness after sorting alone proves
    // nothing: where single elements moved by no more than rounding there is no order to speak of.
    if (moved_ == 0 || moved_ < 64 * tolerance * size_) return false;
    if (!same_value(reference_.lowest, candidate_.lowest, tolerance)) return false;
    if (!same_value(reference_.highest, candidate_.highest, tolerance)) return false;
    return tolerance > 0 || hashes_ == 0;
  }

 private:
  Range reference_;
  Range candidate_;
  double moved_ = 0;
  double size_ = 0;
  std::uint64_t hashes_ = 0;  ///< of references less those of candidates, modulo 2^64
};

bool same_once_sorted(std::vector<double>& references, std::vector<double>& candidates,
                      double tolerance) {
  // The median moves with noise that leaves the extremes alone, and is found in linear time.
  const auto middle = static_cast<std::ptrdiff_t>(references.size() / 2);
  std::nth_element(references.begin(), references.begin() + middle, references.end());
  std::nth_element(candidates.begin(), candidates.begin() + middle, candidates.end());
  const auto at = static_cast<std::size_t>(middle);
  if (!same_value(references[at], candidates[at], tolerance)) return false;
  std::sort(references.begin(), references.end());
  std::sort(candidates.begin(), candidates.end());
  return std::equal(references.begin(), references.end(), candidates.begin(),
                    [&](double reference, double candidate) {
                      return same_value(reference, candidate, tolerance);
                    });
}

/// `for_each(visit)` calls `visit(span of pairs)` for all pairs in order, until that returns false,
/// which it returns then.
template <typename ForEach>
bool decide(std::size_t count, DType dtype, const ForEach& for_each) {
  const double tolerance = tolerance_of(dtype);
  Unordered unordered;
  if (!for_each([&](std::span<const Pair> pairs) { return unordered.add(pairs); })) return false;
  if (!unordered.allows_permutation(tolerance)) return false;
  std::vector<double> references;
  std::vector<double> candidates;
  references.reserve(count);
  candidates.reserve(count);
  for_each([&](std::span<const Pair> pairs) {
    for (const Pair& pair : pairs) {
      references.push_back(pair.reference);
      candidates.push_back(pair.candidate);
    }
    return true;
  });
  return same_once_sorted(references, candidates, tolerance);
}

}  // namespace

bool is_permutation(std::span<const Pair> pairs, DType dtype) {
  return decide(pairs.size(), dtype, [&](const auto& visit) { return visit(pairs); });
}

bool is_permutation(const PairSource& source) {
  const auto count = static_cast<std::size_t>(source.elements());
  return decide(count, source.ulp_dtype(), [&](const auto& visit) {
    std::vector<Pair> pairs;
    for (std::size_t first = 0; first < count; first += pairs.size()) {
      pairs.resize(std::min(kPairsAtATime, count - first));
      source.read(first, pairs);
      if (!visit(std::span<const Pair>(pairs))) return false;
    }
    return true;
  });
}

}  // namespace parity::compare

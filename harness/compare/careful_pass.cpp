// Scalar classification and sums that neither overflow nor vanish.
#include "compare/careful_pass.h"

#include <algorithm>
#include <cmath>

#include "compare/each_pair.h"
#include "compare/float_format.h"

namespace parity::compare {
namespace {

/// A value times 2^(-600 * scale), with scale -1, 0 or 1 such that its square stays well inside the
/// range.
struct Scaled {
  double value;
  int scale;
};

Scaled scaled(double value) {
  const double size = std::abs(value);
  if (size > power_of_two(500)) return {value * power_of_two(-kScaleExponent), 1};
  if (size < power_of_two(-500) && size != 0) return {value * power_of_two(kScaleExponent), -1};
  return {value, 0};
}

Scaled scaled_difference(const Pair& pair) {
  if (!std::isinf(pair.difference)) return scaled(pair.difference);
  constexpr double kDown = power_of_two(-kScaleExponent);
  return {pair.candidate * kDown - pair.reference * kDown, 1};
}

void add_product(ScaledSum& sum, const Scaled& a, const Scaled& b, double times) {
  sum[static_cast<std::size_t>(a.scale + b.scale + 2)] += a.value * b.value * times;
}

void add_sums(const Pair& pair, double times, ChunkSums& sums) {
  const Scaled reference = scaled(pair.reference);
  const Scaled candidate = scaled(pair.candidate);
  const Scaled difference = scaled_difference(pair);
  add_product(sums.reference_squared, reference, reference, times);
  add_product(sums.candidate_squared, candidate, candidate, times);
  add_product(sums.product, reference, candidate, times);
  add_product(sums.difference_squared, difference, difference, times);
  sums.difference[static_cast<std::size_t>(difference.scale + 1)] += difference.value * times;
}

void add_relative(const Pair& pair, std::uint64_t times, Tally& tally) {
  if (pair.reference == 0 && pair.candidate != 0) {
    tally.classes.zero_reference += times;
    return;
  }
  const double relative = pair.difference == 0 ? 0 : relative_error(pair);
  tally.relative[relative_bin(relative)] += times;
  tally.max_relative = std::max(tally.max_relative, relative);
}

void add_finite(const Pair& pair, std::uint64_t times, Tally& tally, ChunkSums& sums) {
  tally.classes.finite += times;
  tally.classes.zero_sign += pair.zero_sign ? times : 0;
  tally.classes.flushed_to_zero += pair.flushed_to_zero ? times : 0;
  tally.ulp[ulp_bin(pair.ulp)] += times;
  tally.max_ulp = std::max(tally.max_ulp, pair.ulp);
  tally.max_absolute = std::max(tally.max_absolute, std::abs(pair.difference));
  add_relative(pair, times, tally);
  add_sums(pair, static_cast<double>(times), sums);
}

void offer(const Pair& pair, std::uint64_t index, WorstList& worst) {
  if (is_one_sided(pair.kind)) {
    worst.offer({true, 0, index});
  } else if (worst.may_take(pair.ulp, index)) {
    worst.offer({false, pair.ulp, index});
  }
}

std::uint64_t& count_of(PairKind kind, ClassCounts& classes) {
  switch (kind) {
    case PairKind::both_nan:
      return classes.both_nan;
    case PairKind::nan_reference_only:
      return classes.nan_reference_only;
    case PairKind::nan_candidate_only:
      return classes.nan_candidate_only;
    case PairKind::inf_equal:
      return classes.inf_equal;
    case PairKind::inf_opposite:
      return classes.inf_opposite;
    case PairKind::inf_reference_only:
      return classes.inf_reference_only;
    case PairKind::inf_candidate_only:
      return classes.inf_candidate_only;
    case PairKind::finite:
      break;
  }
  return classes.finite;
}

void add(const Pair& pair, std::uint64_t index, Tally& tally, ChunkSums& sums) {
  add_pairs(pair, 1, tally, sums);
  offer(pair, index, tally.worst);
}

}  // namespace

void add_pairs(const Pair& pair, std::uint64_t times, Tally& tally, ChunkSums& sums) {
  tally.classes.equal_bits += pair.equal_bits ? times : 0;
  if (pair.kind == PairKind::finite) {
    add_finite(pair, times, tally, sums);
  } else {
    count_of(pair.kind, tally.classes) += times;
  }
}

void compare_carefully(const PairSource& source, std::uint64_t first, std::size_t count,
                       Tally& tally, ChunkSums& sums) {
  for_each_pair(source, first, count,
                [&](const Pair& pair, std::uint64_t index) { add(pair, index, tally, sums); });
}

void compare_carefully_at(const PairSource& source, std::uint64_t first,
                          std::span<const std::uint16_t> places, Tally& tally, ChunkSums& sums) {
  for_each_pair_at(source, first, places,
                   [&](const Pair& pair, std::uint64_t index) { add(pair, index, tally, sums); });
}

void offer_worst(const PairSource& source, std::uint64_t first, std::size_t count,
                 std::span<const std::uint16_t> left_out, WorstList& worst) {
  for_each_pair(source, first, count, [&](const Pair& pair, std::uint64_t index) {
    if (!left_out.empty() && index == first + left_out.front()) {
      left_out = left_out.subspan(1);
      return;
    }
    offer(pair, index, worst);
  });
}

}  // namespace parity::compare

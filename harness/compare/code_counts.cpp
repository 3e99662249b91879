// Scalar counting, and folding the codes of a chunk into histogram bins.
#include "compare/code_counts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compare/bins.h"
#include "compare/float_format.h"

namespace parity::compare {
namespace {

constexpr std::uint64_t kHalfRange = std::uint64_t{1} << 63U;

/// In a fixed order, so that the sum is the same on every target.
double sum_of(const LaneSum& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace

std::uint8_t relative_code_of(double reference, double candidate) {
  const double relative = std::abs(candidate - reference) / std::abs(reference);
  if (relative == 0) return 0;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(relative) >> 52U) - 1023;
  return static_cast<std::uint8_t>(
      std::clamp(exponent + kRelativeCodeBias, 1, static_cast<int>(kRelativeCodeTop)));
}

void count_by_table(const std::uint8_t* codes, std::size_t count, std::size_t lowest,
                    std::size_t highest, std::array<std::uint64_t, 256>& counts) {
  // Four tables: a run of equal codes would wait for its own increments in one.
  std::array<std::array<std::uint32_t, 256>, 4> tables{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    ++tables[0][codes[i]];
    ++tables[1][codes[i + 1]];
    ++tables[2][codes[i + 2]];
    ++tables[3][codes[i + 3]];
  }
  for (; i < count; ++i) ++tables[0][codes[i]];
  for (std::size_t code = lowest; code <= highest; ++code) {
    counts[code] +=
        std::uint64_t{tables[0][code]} + tables[1][code] + tables[2][code] + tables[3][code];
  }
}

std::uint64_t to_codes(const Float64Distances& distances, std::size_t count, Float64Codes& codes) {
  std::uint64_t max_ulp = 0;
  // Two short loops without a branch on the values: which pairs differ is as good as random.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t ulp = distances.ulp[i];
    max_ulp = std::max(max_ulp, ulp);
    // The width of 2 ulp - 1 is the bin, but for distances whose double passes 64 bits.
    const std::uint64_t odd = (ulp << 1U) - (ulp != 0 ? 1U : 0U);
    const auto bin = static_cast<std::size_t>(std::bit_width(odd));
    codes.ulp_bin[i] = static_cast<std::uint8_t>(ulp >= kHalfRange ? ulp_bin(ulp) : bin);
  }
  for (std::size_t i = 0; i < count; ++i)
    codes.relative[i] = static_cast<std::uint8_t>(distances.relative_code[i]);
  return max_ulp;
}

RelativeRecord record_of(std::span<const float> reference, std::span<const float> candidate,
                         double largest, Products products) {
  // The margin covers the rounding of this factor, of the product with it, and of c-r.
  constexpr double kHighest = std::numeric_limits<float>::max();
  RelativeRecord record{largest, 1,
                        static_cast<float>(std::min(largest, kHighest) * (1 - 0x1p-21))};
  if (products == Products::rounded || largest >= 0.5) return record;
  // Narrow types repeat the same ratio often; comparing by exact cross products lets ties pass
  // without a second look.
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i];
    const double difference = std::abs(static_cast<double>(candidate[i]) - r);
    if (r == 0 || difference / std::abs(r) != largest) continue;
    const int exponent = std::ilogb(r);
    record.difference_factor = static_cast<float>(std::scalbn(std::abs(r), -exponent));
    record.reference_factor = static_cast<float>(std::scalbn(difference, -exponent));
    break;
  }
  return record;
}

void fold(const FusedChunk& chunk, std::size_t padding, Tally& tally, ChunkSums& sums) {
  const std::uint64_t elements = chunk.elements - padding;
  const std::uint64_t equal = chunk.ulp_codes[kUlpCodeZero] - padding;
  tally.classes.finite += elements;
  tally.classes.equal_bits += equal - chunk.zero_sign;
  tally.classes.zero_sign += chunk.zero_sign;
  tally.classes.zero_reference += chunk.relative_codes[kRelativeCodeNone];
  tally.ulp[0] += equal;
  for (std::size_t code = kUlpCodeZero + 1; code < 256; ++code) {
    const std::size_t bin = code == kUlpCodeHuge ? 33 : code - kUlpCodeZero;
    if (chunk.ulp_codes[code] != 0) tally.ulp[bin] += chunk.ulp_codes[code];
  }
  for (std::size_t bin = 1; bin < kUlpBins; ++bin) tally.ulp[bin] += chunk.wide_ulp[bin];
  tally.relative[0] += equal;
  for (std::size_t code = 1; code <= kRelativeCodeTop; ++code) {
    tally.relative[relative_bin_of_exponent(static_cast<int>(code) - kRelativeCodeBias)] +=
        chunk.relative_codes[code];
  }
  tally.max_ulp = std::max(tally.max_ulp, chunk.max_ulp);
  tally.max_relative = std::max(tally.max_relative, chunk.record.largest);
  tally.max_absolute = std::max(tally.max_absolute, chunk.max_absolute);
  const double shared = sum_of(chunk.shared_squared);
  const double cross = sum_of(chunk.near_cross);
  const double near = sum_of(chunk.near_difference_squared);
  sums.reference_squared[kUnscaled] += sum_of(chunk.reference_squared) + shared;
  sums.candidate_squared[kUnscaled] +=
      sum_of(chunk.candidate_squared) + (shared + (2 * cross + near));
  sums.product[kUnscaled] += sum_of(chunk.product) + (shared + cross);
  sums.difference_squared[kUnscaled] += sum_of(chunk.difference_squared) + near;
  sums.difference[1] += sum_of(chunk.difference);
}

}  // namespace parity::compare

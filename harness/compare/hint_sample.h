// Private to the hints: the pairs they look at, read once, and the test of whether a pattern
// explains a difference.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compare/facts.h"
#include "compare/pair.h"
#include "tensor/shape.h"

namespace parity::compare {

struct SampledPair {
  std::uint64_t index = 0;
  Pair pair;
};

/// One whole row of the last dimension (or the whole tensor) that has elements outside.
struct SampledRow {
  std::vector<Pair> pairs;
};

struct HintSample {
  const PairSource& source;
  tensor::Shape shape;
  std::vector<SampledPair> outside;  ///< every kind of pair
  std::vector<SampledPair> finite;   ///< those of `outside` that are finite
  std::vector<SampledRow> rows;      ///< rows of at least 4 elements
};

inline constexpr std::size_t kFewestElements = 8;
inline constexpr double kExplainedShare = 0.95;

/// Whether a pattern that explains `part` of `whole` elements (or rows) explains the difference.
[[nodiscard]] inline bool mostly(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) >= kExplainedShare * static_cast<double>(whole);
}

/// What the pattern predicts instead of the reference leaves at most an eighth of the difference.
[[nodiscard]] inline bool explains(double predicted, const Pair& pair) {
  return std::abs(pair.candidate - predicted) <= std::abs(pair.difference) / 8;
}

[[nodiscard]] double median(std::vector<double> values);

[[nodiscard]] std::optional<Hint> find_scaled(const HintSample& sample);
[[nodiscard]] std::optional<Hint> find_row_offset(const HintSample& sample);
[[nodiscard]] std::optional<Hint> find_shifted(const HintSample& sample);
[[nodiscard]] std::optional<Hint> find_permuted(const HintSample& sample);
[[nodiscard]] std::optional<Hint> find_zeroed(const HintSample& sample);
[[nodiscard]] std::optional<Hint> find_clamped(const HintSample& sample);

}  // namespace parity::compare

// The same facts worked out one pair at a time in long double, without any of the code under test.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compare/facts.h"

namespace parity::compare {

/// What the oracle must know of a format: how wide its significand is and where its exponents
/// begin.
struct OracleFormat {
  int fraction_bits;
  int lowest_exponent;  ///< of normal numbers
};
inline constexpr OracleFormat kFloat64Oracle = {52, -1022};
inline constexpr OracleFormat kFloat32Oracle = {23, -126};
inline constexpr OracleFormat kBFloat16Oracle = {7, -126};
inline constexpr OracleFormat kFloat16Oracle = {10, -14};

struct OracleFacts {
  ClassCounts classes;
  std::map<double, std::uint64_t> ulp_counts;       ///< by lower edge of the bin
  std::map<double, std::uint64_t> relative_counts;  ///< by lower edge of the bin
  std::vector<std::uint64_t> ulps;                  ///< sorted
  std::vector<double> relatives;                    ///< sorted
  double max_absolute = 0;
  long double mean_signed = 0;
  long double mean_size = 0;  ///< mean of abs(c-r): the scale of rounding in mean_signed
  long double nrmse = 0;
  long double cosine = 1;
};

/// Exact values of both sides as float64, NaN and Inf included.
[[nodiscard]] OracleFacts slow_facts(const std::vector<double>& reference,
                                     const std::vector<double>& candidate, OracleFormat format);

/// Fails the test, naming the figure, where the facts are not the oracle's.
void expect_equal_facts(const TensorComparison& facts, const OracleFacts& oracle);

}  // namespace parity::compare

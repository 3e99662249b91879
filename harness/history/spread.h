// Robust statistics of one figure over earlier nights: what is usual, from where on a value is a
// step, and whether the values creep. Formulas and their sources are in docs/history.md; knows no
// metric.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace parity::history {

/// Fewer earlier nights in the same environment say nothing about their spread.
inline constexpr std::size_t kLeastNights = 7;
/// Nights that are looked back on.
inline constexpr std::size_t kMostNights = 60;
/// Of the deviations of a step, and of the excess of the second largest earlier value.
inline constexpr double kStepDeviations = 6;
inline constexpr double kStepExcess = 4;
/// Standard deviations of the Mann-Kendall statistic from which on values creep.
inline constexpr double kSlowDeviations = 5;
/// Where an environment is new: times the largest value of any earlier night.
inline constexpr double kCoarseFactor = 4;

/// The rule in one line, for whoever reads the result.
inline constexpr std::string_view kRuleText =
    "step: above the median m of at least 7 earlier nights in the same environment by more than "
    "all of: a factor exp(6 (1 + 4/n) s), s = 1.4826 MAD/m or the case's typical one if larger; 4 "
    "times what the second largest is above m; 3 times the recorded run-to-run noise; the metric's "
    "floor. slow: Mann-Kendall z >= 5 and a Theil-Sen rise above the floor. new environment: above "
    "4 times the largest of the newest 60 nights plus 3/4 (nrmse), 1/6 (introduced.nrmse) or 1/2 "
    "(KL) "
    "of the built-in warn bound. "
    "docs/history.md has the sources";

[[nodiscard]] double median(std::vector<double> values);

/// 1.4826 times the median absolute deviation, over the median: the standard deviation in parts of
/// the usual value if the values are normal [Hampel 1974]. 0 for a median of 0.
[[nodiscard]] double relative_deviation(const std::vector<double>& values);

/// A rise by less than this is none: the larger of both, and of what noise explains.
struct Floors {
  double relative = 0;  ///< of the usual value
  double absolute = 0;
};

/// Values beyond it are a step. `typical`: the relative deviation of the same figure elsewhere,
/// which steadies a few nights' own.
[[nodiscard]] double step_limit(const std::vector<double>& earlier, double typical,
                                const Floors& floors);

/// Whether `values`, in the order of time, rise steadily and by more than the floors; `rise` gets
/// by how much. Mann-Kendall test with correction for ties [Mann 1945, Kendall 1975], slope of
/// Theil [1950] and Sen [1968].
struct Creep {
  bool creeps = false;
  double rise = 0;  ///< over all nights
};
[[nodiscard]] Creep creep_of(const std::vector<double>& values, const Floors& floors);

}  // namespace parity::history

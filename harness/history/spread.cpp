#include "history/spread.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace parity::history {
namespace {

constexpr double kNormalDeviation = 1.4826;  // of a normal distribution, over its MAD
constexpr double kLargestExponent = 700;     // exp() of more is infinite

double floor_above(double usual, const Floors& floors) {
  return std::max(usual * floors.relative, floors.absolute);
}

/// Standard deviations of Kendall's S above 0, ties corrected for.
double mann_kendall(const std::vector<double>& values) {
  double s = 0;
  std::map<double, double> ties;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ties[values[i]] += 1;
    for (std::size_t j = i + 1; j < values.size(); ++j)
      s += values[j] > values[i] ? 1 : values[j] < values[i] ? -1 : 0;
  }
  const auto term = [](double n) { return n * (n - 1) * (2 * n + 5); };
  double variance = term(static_cast<double>(values.size()));
  for (const auto& tie : ties) variance -= term(tie.second);
  variance /= 18;
  return variance > 0 && s > 0 ? (s - 1) / std::sqrt(variance) : 0;
}

double theil_sen(const std::vector<double>& values) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  }
  return slopes.empty() ? 0 : median(std::move(slopes));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double relative_deviation(const std::vector<double>& values) {
  const double usual = median(values);
  if (!(usual > 0) || std::isinf(usual)) return 0;
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - usual));
  return kNormalDeviation * median(std::move(deviations)) / usual;
}

double step_limit(const std::vector<double>& earlier, double typical, const Floors& floors) {
  const double usual = median(earlier);
  std::vector<double> sorted = earlier;
  std::sort(sorted.begin(), sorted.end());
  const double second = sorted.size() > 1 ? sorted[sorted.size() - 2] : usual;
  const auto nights = static_cast<double>(std::max<std::size_t>(earlier.size(), 1));
  const double exponent =
      kStepDeviations * (1 + 4 / nights) * std::max(relative_deviation(earlier), typical);
  // Zero times infinity would be NaN, and nothing is beyond that.
  const double spread = usual > 0 ? usual * std::exp(std::min(exponent, kLargestExponent)) : 0;
  return std::max(
      {spread, usual + kStepExcess * (second - usual), usual + floor_above(usual, floors)});
}

Creep creep_of(const std::vector<double>& values, const Floors& floors) {
  const std::size_t third = values.size() / 3;
  if (third == 0) return {};
  const auto end = static_cast<std::ptrdiff_t>(third);
  const double first = median({values.begin(), values.begin() + end});
  const double last = median({values.end() - end, values.end()});
  // Cheap and nearly always the end of it.
  if (!(last - first > floor_above(first, floors) / 2)) return {};
  if (mann_kendall(values) < kSlowDeviations) return {};
  const double rise = theil_sen(values) * static_cast<double>(values.size() - 1);
  return {rise > floor_above(first, floors), rise};
}

}  // namespace parity::history

// Patterns of single elements: a common factor, zeros, saturation.
#include <algorithm>

#include <fmt/format.h>

#include "compare/hint_sample.h"

namespace parity::compare {
namespace {

double percent(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::optional<Hint> find_scaled(const HintSample& sample) {
  std::vector<double> ratios;
  double smallest = 0;
  double largest = 0;
  for (const SampledPair& sampled : sample.finite) {
    const double size = std::abs(sampled.pair.reference);
    if (size == 0) continue;
    ratios.push_back(sampled.pair.candidate / sampled.pair.reference);
    smallest = ratios.size() == 1 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
  }
  // References of one size only would make any constant error look like a factor.
  if (ratios.size() < kFewestElements || largest < 1.5 * smallest) return std::nullopt;
  const double factor = median(ratios);
  if (factor == 0) return std::nullopt;
  const auto explained = static_cast<std::size_t>(
      std::count_if(sample.finite.begin(), sample.finite.end(), [&](const SampledPair& sampled) {
        return explains(factor * sampled.pair.reference, sampled.pair);
      }));
  if (!mostly(explained, sample.finite.size())) return std::nullopt;
  return Hint{"scaled",
              fmt::format("candidate = {:.6g} x reference in {:.4g} % of {} elements outside",
                          factor, percent(explained, sample.finite.size()), sample.finite.size())};
}

std::optional<Hint> find_zeroed(const HintSample& sample) {
  std::size_t zeroed = 0;
  double largest = 0;
  for (const SampledPair& sampled : sample.outside) {
    if (sampled.pair.candidate != 0 || sampled.pair.reference == 0) continue;
    ++zeroed;
    largest = std::max(largest, std::abs(sampled.pair.reference));
  }
  // Small integers reach 0 by an error of one or two steps.
  constexpr double kBeyondSmallIntegers = 8;
  if (tensor::is_integral(sample.source.ulp_dtype()) && largest < kBeyondSmallIntegers)
    return std::nullopt;
  if (zeroed == 0 || !mostly(zeroed, sample.outside.size())) return std::nullopt;
  return Hint{"zeroed",
              fmt::format("candidate is 0 where the reference is not (up to {:.6g}) in {:.4g} % of "
                          "{} elements outside",
                          largest, percent(zeroed, sample.outside.size()), sample.outside.size())};
}

std::optional<Hint> find_clamped(const HintSample& sample) {
  constexpr std::size_t kFewestClamped = 4;
  std::vector<double> values;
  for (const SampledPair& sampled : sample.outside) {
    if (!std::isnan(sampled.pair.candidate) && !std::isinf(sampled.pair.candidate))
      values.push_back(sampled.pair.candidate);
  }
  if (values.size() < kFewestClamped) return std::nullopt;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  std::size_t above = 0;
  std::size_t below = 0;
  for (const SampledPair& sampled : sample.outside) {
    if (sampled.pair.candidate == *highest && sampled.pair.reference > *highest) ++above;
    if (sampled.pair.candidate == *lowest && sampled.pair.reference < *lowest) ++below;
  }
  if (above + below < kFewestClamped || !mostly(above + below, sample.outside.size()))
    return std::nullopt;
  const std::string limits = above == 0 ? fmt::format("at least {:.6g}", *lowest)
                             : below == 0
                                 ? fmt::format("at most {:.6g}", *highest)
                                 : fmt::format("within {:.6g} .. {:.6g}", *lowest, *highest);
  return Hint{
      "clamped",
      fmt::format(
          "candidate stays {} where the reference goes on, in {:.4g} % of {} elements outside",
          limits, percent(above + below, sample.outside.size()), sample.outside.size())};
}

}  // namespace parity::compare

#include "gate/calibration_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gate/looseness.h"
#include "gate/rule_book.h"

namespace parity::gate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// z with P(X <= z) = p of the standard normal distribution, by bisection.
double normal_quantile(double p) {
  double low = -10;
  double high = 10;
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    const double below = std::erfc(-middle / std::sqrt(2.0)) / 2;
    (below < p ? low : high) = middle;
  }
  return high;
}

/// Away from zero to two digits: a limit that a person can read and that is not below what it is
/// for.
double rounded_up(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int digits = static_cast<int>(std::floor(std::log10(value))) - 1;
  // Through the decimal text, so that 0.0021 is exactly the number that the file shows.
  const double scale = std::pow(10.0, digits);
  auto steps = static_cast<long long>(std::ceil(value / scale * (1 - 1e-12)));
  double result = std::stod(fmt::format("{}e{}", steps, digits));
  while (result < value) result = std::stod(fmt::format("{}e{}", ++steps, digits));
  return result;
}

/// The least that limits may be, and the most.
struct Range {
  double warn = 0;
  double fail = 0;
  double most = kInfinity;
  const char* of_most = "";
  const char* of_least = "what one rounding explains";
};

/// Measured on taps or logits that are all right, a metric tells right from wrong no more from here
/// on: half of what zeros keep to, half of the largest factor, nats of a factor of e; infinity
/// where it always does.
double most_of(std::string_view metric) {
  constexpr double kHalf = 0.5;
  if (metric == "nrmse" || metric == "where.share") return kHalf;
  if (metric == kTruthRatio) return kHalf * kLargestTruthFactor;
  if (metric.substr(0, 2) == "kl") return 1;  // nat: probabilities off by a factor of e
  return kInfinity;
}

/// Half of all elements at twice or half their value.
double most_ulp(tensor::DType dtype) {
  return std::ldexp(1.0, std::max(1, tensor::significand_bits(tensor::component(dtype)) - 2));
}

/// What a layer introduces has the range of what is measured as the two sides run: a layer that was
/// fed the same may still round otherwise.
Range range_of(std::string_view metric, tensor::DType dtype) {
  const double u = tensor::unit_roundoff(tensor::component(dtype));
  if (metric.rfind(kIntroducedPrefix, 0) == 0) metric.remove_prefix(kIntroducedPrefix.size());
  if (metric == "nrmse")
    return {u, 2 * u, most_of(metric), "beyond it a result half as large would pass"};
  // One step of a dtype is 2 u of a value: an element 16 (warn) or 32 (fail) times the rms that is
  // one step off, half of what the built-in policy of 16-bit dtypes explains of outlier channels
  // and attention sinks.
  if (metric == "max_error_over_rms")
    return {32 * u, 64 * u, 1000, "beyond it an error could be a thousand times the values"};
  if (metric == "where.share")
    return {0, 0.01, most_of(metric), "beyond it half of the elements could be wrong"};
  if (metric == kTruthRatio) {
    const double alike = default_policy().for_dtype(dtype).truth_factor;
    return {alike, alike, most_of(metric),
            "beyond it a result nearly two digits further from the truth would pass",
            "up to which the built-in policy takes two sides to be alike"};
  }
  return {1, 2, most_ulp(dtype), "beyond it nearly all elements could be off by a quarter"};
}

/// Limits of counts of wrong elements or answers.
Limit count_limit(const Measured& measured) {
  if (measured.worst == 0) return {0, 0, ""};
  return {std::ceil(std::sqrt(measured.headroom) * measured.worst),
          std::ceil(measured.headroom * measured.worst), ""};
}

Limit limit_within(const Range& range, const Measured& measured) {
  Limit limit;
  const double warn = std::sqrt(measured.headroom) * measured.worst;
  const double fail = measured.headroom * measured.worst;
  limit.warn = rounded_up(std::max(range.warn, warn));
  limit.fail = rounded_up(std::max(range.fail, fail));
  if (fail < range.fail) {
    limit.remark = measured.worst > 0 ? std::string("not below ") + range.of_least : range.of_least;
  }
  if (limit.fail > range.most) {
    limit.fail = range.most;
    limit.remark = fmt::format("held at {:g}: {}", range.most, range.of_most);
  }
  limit.warn = std::min(limit.warn, limit.fail);
  return limit;
}

/// As far below 1 as the headroom says; one position may turn round on any backend, but where none
/// did the built-in limits need not be wider.
Limit agreement_limit(const Bound& built_in, const Measured& measured) {
  const double one = 1.0 / static_cast<double>(std::max<std::uint64_t>(1, measured.elements));
  const double lost = std::max(1 - measured.worst, one);
  const auto below_one = [](double share) {
    constexpr double kPercent = 100;
    return std::max(0.0, std::floor((1 - share) * kPercent) / kPercent);
  };
  Limit limit{below_one(std::sqrt(measured.headroom) * lost), below_one(measured.headroom * lost),
              ""};
  if (measured.worst >= built_in.warn) limit.warn = std::max(limit.warn, built_in.warn);
  if (measured.worst >= built_in.fail) limit.fail = std::max(limit.fail, built_in.fail);
  return limit;
}

/// A divergence grows with the square of the errors behind it, and harm does not grow with
/// headroom: limits stay at the built-in ones as long as what was measured does.
Limit divergence_limit(const Bound& built_in, tensor::DType dtype, const Measured& measured) {
  const double u = tensor::unit_roundoff(tensor::component(dtype));
  // To the second order a KL is half the variance of the logits' differences; a difference is u
  // times the logit, and a language model's best ones are some 10: over the two prompts of the
  // committed decoder golden their median is 10.1 and 12.9, the largest 17.9.
  constexpr double kLargeLogit = 10;
  const double rounding = kLargeLogit * kLargeLogit * u * u / 2;
  Measured squared = measured;
  squared.headroom *= measured.headroom;
  const double twice = 2 * measured.worst;
  Limit limit = limit_within(
      {std::min(rounding, built_in.warn), std::min(4 * rounding, built_in.fail), kInfinity, ""},
      squared);
  const double most_warn = std::max(built_in.warn, rounded_up(twice));
  const double most_fail = std::max(built_in.fail, most_warn);
  if (limit.fail > most_fail || limit.warn > most_warn)
    limit.remark = "not beyond the built-in limits, or twice what was measured where that is more";
  limit.warn = std::min(limit.warn, most_warn);
  limit.fail = std::min(limit.fail, most_fail);
  return limit;
}

std::optional<Bound> find_bound(const std::vector<Bound>& bounds, std::string_view metric) {
  const auto found = std::find_if(bounds.begin(), bounds.end(),
                                  [&](const Bound& bound) { return bound.metric == metric; });
  if (found == bounds.end()) return std::nullopt;
  return *found;
}

}  // namespace

double default_headroom(std::int64_t runs) {
  constexpr double kLeast = 1.5;
  constexpr double kKept = 0.999;
  const double n = static_cast<double>(std::max<std::int64_t>(1, runs));
  return std::max(kLeast, std::exp2(normal_quantile(kKept) - normal_quantile(n / (n + 1))));
}

std::vector<std::string_view> calibrated_metrics(tensor::DType dtype) {
  if (tensor::is_integral(dtype)) return {"unequal"};
  return {"nrmse", "max_error_over_rms", "where.share", "ulp.p99"};
}

std::vector<std::string_view> calibrated_logits_metrics() {
  return {"decided_flips", "kl.mean", "kl.max", "top1_agreement"};
}

std::vector<std::string_view> late_metrics(tensor::DType dtype) {
  if (tensor::is_integral(dtype)) return {};
  return {"introduced.nrmse", "introduced.max_error_over_rms", kTruthRatio};
}

std::optional<Bound> built_in_bound(std::string_view metric, tensor::DType dtype) {
  return find_bound(default_policy().for_dtype(dtype).bounds, metric);
}

std::optional<Bound> built_in_logits_bound(std::string_view metric) {
  return find_bound(default_policy().logits, metric);
}

std::optional<Limit> tap_limit(std::string_view metric, tensor::DType dtype,
                               const Measured& measured) {
  if (!std::isfinite(measured.worst)) return std::nullopt;
  if (metric == "unequal") {
    const Limit limit = count_limit(measured);
    const bool means_something = 2 * limit.fail < static_cast<double>(measured.elements);
    return limit.fail == 0 || means_something ? std::optional(limit) : std::nullopt;
  }
  const Range range = range_of(metric, dtype);
  if (!(measured.worst < range.most)) return std::nullopt;
  if (!measured.known && metric != "where.share") return std::nullopt;
  Limit limit = limit_within(range, measured);
  if (metric == "ulp.p99") {
    limit.warn = std::ceil(limit.warn);
    limit.fail = std::ceil(limit.fail);
  }
  if (metric == "where.share" && measured.worst == 0)
    limit = {range.warn, range.fail,
             measured.known ? "the built-in limit; no element is outside" : "the built-in limit"};
  return limit;
}

std::optional<Limit> logits_limit(std::string_view metric, tensor::DType dtype,
                                  const Measured& measured) {
  if (!std::isfinite(measured.worst) || !(measured.worst < most_of(metric))) return std::nullopt;
  // The rule stands in the place of the built-in one, which looks at every answer.
  const Bound built_in = *built_in_logits_bound(metric);
  if (!measured.known) return Limit{built_in.warn, built_in.fail, "the built-in limit"};
  if (metric == "decided_flips") return count_limit(measured);
  if (metric == "top1_agreement") return agreement_limit(built_in, measured);
  return divergence_limit(built_in, dtype, measured);
}

}  // namespace parity::gate

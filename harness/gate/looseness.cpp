#include "gate/looseness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace parity::gate {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// nat: the logarithm of 256k tokens, by which a guess among all of them is off at most.
constexpr double kGuess = 12.5;

struct Reach {
  std::string_view metric;  ///< or what its name begins with
  double anything_from;     ///< limits from here on are refused
  double alone_below;       ///< limits below need no other bound beside them; 0: all do
  const char* what;         ///< that a limit of `anything_from` does
};

constexpr auto kReaches = std::to_array<Reach>({
    {"nrmse", 1, 1, "accepts a tensor of zeros; use one below 1"},
    {"relative.p50", 1, 1, "accepts a tensor of zeros; use one below 1"},
    {"relative.p90", 1, 1, "accepts a tensor of zeros; use one below 1"},
    // Beside a reference near zero a sound result may be off by many times its value.
    {"relative.", 1e9, 1, "lets anything pass"},
    {"where.share", 1, 1, "lets every element be outside; use one below 1"},
    // The largest value is at least the rms, and at most the root of the element count times it.
    {"max_error_over_rms", 1000, 1,
     "accepts errors a thousand times larger than the tensor's values"},
    {"bias_over_rms", 1, 0, "accepts a tensor of zeros; use one below 1"},
    // On a scale of their own, which no rule knows.
    {"absolute.", 1e30, 0, "lets anything pass"},
    {"classes.", 1e12, 0, "lets anything pass"},
    {"unequal", 1e12, 100, "lets anything pass"},
    {"where.outside", 1e12, 100, "lets anything pass"},
    {"kl", kGuess, 1, "accepts a guess among all tokens; use one below 1"},
    // Twice or half the value is 4 to 2^52 steps away, by dtype; see also looseness_in.
    {"ulp.", 0x1p63, 65536, "lets anything pass: no dtype has as many values of one sign"},
    {"flips", 1e9, 100, "lets anything pass"},
    {"decided_flips", 1e9, 100, "lets anything pass"},
    {"max_flip_gap", 100, kGuess, "accepts any flip"},
    {"max_logprob_change", 100, kGuess, "lets anything pass"},
    {"truth.ratio", kLargestTruthFactor, kLargestTruthFactor,
     "lets a candidate pass that is further from the truth than any rounding leaves it"},
});

const Reach* reach_of(std::string_view metric) {
  const auto found = std::find_if(kReaches.begin(), kReaches.end(), [&](const Reach& reach) {
    return metric.rfind(reach.metric, 0) == 0;
  });
  return found == kReaches.end() ? nullptr : &*found;
}

bool is_ulp(std::string_view metric) { return metric.rfind("ulp.", 0) == 0; }

/// Counts of elements or positions, of which a tensor has no more than it has.
bool counts_parts(std::string_view unit) { return unit == "elements" || unit == "positions"; }

}  // namespace

std::string looseness(std::string_view metric, double limit) {
  if (std::isinf(limit)) return "lets anything pass";
  const Reach* reach = reach_of(metric);
  return reach != nullptr && limit >= reach->anything_from ? reach->what : std::string{};
}

std::string looseness_in(tensor::DType dtype, std::string_view metric, double limit) {
  if (!is_ulp(metric)) return {};
  // From zero to the largest value.
  const double span =
      std::ldexp(1.0, static_cast<int>(8 * tensor::size_bytes(tensor::component(dtype))) - 1);
  if (limit < span) return {};
  return fmt::format("lets anything pass: {} has fewer values of one sign", tensor::name(dtype));
}

std::string looseness_of_count(std::string_view unit, double limit, std::uint64_t most) {
  if (!counts_parts(unit) || most == 0 || limit < static_cast<double>(most)) return {};
  return fmt::format("lets anything pass: no tap that the rule judges has more than {} {}", most,
                     unit);
}

std::string looseness_from_below(double warn, double fail) {
  if (warn > 1) return "can never be kept: the metric is 1 at best";
  return warn == 0 && fail == 0 ? "lets anything pass: the metric is 0 at worst" : "";
}

bool can_judge_alone(std::string_view metric, double limit) {
  const Reach* reach = reach_of(metric);
  return limit < (reach == nullptr ? kInfinity : reach->alone_below);
}

}  // namespace parity::gate

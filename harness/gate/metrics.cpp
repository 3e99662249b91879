#include "gate/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace parity::gate {
namespace {

using compare::LogitsComparison;
using compare::TensorComparison;

constexpr Direction kUp = Direction::higher_is_worse;
constexpr Direction kDown = Direction::lower_is_worse;

double count(std::uint64_t value) { return static_cast<double>(value); }

double unequal(const TensorComparison& facts) {
  return facts.elements >= facts.classes.equal_bits
             ? count(facts.elements - facts.classes.equal_bits)
             : std::numeric_limits<double>::quiet_NaN();
}

double bias_over_rms(const TensorComparison& facts) {
  const double bias = std::fabs(facts.absolute.mean_signed);
  return bias == 0 ? 0 : bias / facts.reference_rms;
}

double smallest_topk_overlap(const LogitsComparison& facts) {
  double smallest = 1;
  for (const auto& [k, share] : facts.topk_overlap) {
    if (is_beyond(share, smallest, kDown)) smallest = share;
  }
  return smallest;
}

constexpr auto kTensorMetrics = std::to_array<TensorMetric>({
    {"nrmse", "", kUp, [](const TensorComparison& f) { return f.nrmse; }},
    {"max_error_over_rms", "", kUp, [](const TensorComparison& f) { return f.max_error_over_rms; }},
    {"bias_over_rms", "", kUp, bias_over_rms},
    {"ulp.max", "ulp", kUp, [](const TensorComparison& f) { return count(f.ulp.max); }},
    {"ulp.p50", "ulp", kUp, [](const TensorComparison& f) { return f.ulp.quantiles.p50; }},
    {"ulp.p90", "ulp", kUp, [](const TensorComparison& f) { return f.ulp.quantiles.p90; }},
    {"ulp.p99", "ulp", kUp, [](const TensorComparison& f) { return f.ulp.quantiles.p99; }},
    {"ulp.p999", "ulp", kUp, [](const TensorComparison& f) { return f.ulp.quantiles.p999; }},
    {"relative.max", "", kUp, [](const TensorComparison& f) { return f.relative.max; }},
    {"relative.p50", "", kUp, [](const TensorComparison& f) { return f.relative.quantiles.p50; }},
    {"relative.p90", "", kUp, [](const TensorComparison& f) { return f.relative.quantiles.p90; }},
    {"relative.p99", "", kUp, [](const TensorComparison& f) { return f.relative.quantiles.p99; }},
    {"relative.p999", "", kUp, [](const TensorComparison& f) { return f.relative.quantiles.p999; }},
    {"absolute.max", "of the tensor", kUp,
     [](const TensorComparison& f) { return f.absolute.max; }},
    {"absolute.mean_signed", "of the tensor", kUp,
     [](const TensorComparison& f) { return std::fabs(f.absolute.mean_signed); }},
    {"cosine", "", kDown, [](const TensorComparison& f) { return f.cosine; }},
    {"exact_share", "", kDown, [](const TensorComparison& f) { return f.exact_share; }},
    {"unequal", "elements", kUp, unequal},
    {"where.outside", "elements", kUp,
     [](const TensorComparison& f) { return count(f.where.outside); }},
    {"where.share", "", kUp, [](const TensorComparison& f) { return f.where.share; }},
    {"classes.zero_reference", "elements", kUp,
     [](const TensorComparison& f) { return count(f.classes.zero_reference); }},
    {"classes.zero_sign", "elements", kUp,
     [](const TensorComparison& f) { return count(f.classes.zero_sign); }},
    {"classes.flushed_to_zero", "elements", kUp,
     [](const TensorComparison& f) { return count(f.classes.flushed_to_zero); }},
});

constexpr auto kLogitsMetrics = std::to_array<LogitsMetric>({
    {"kl.mean", "nat", kUp, [](const LogitsComparison& f) { return f.kl.mean; },
     MetricExtent::average},
    {"kl.p99", "nat", kUp, [](const LogitsComparison& f) { return f.kl.p99; },
     MetricExtent::average},
    {"kl.max", "nat", kUp, [](const LogitsComparison& f) { return f.kl.max; }},
    {"kl_reverse.mean", "nat", kUp, [](const LogitsComparison& f) { return f.kl_reverse.mean; },
     MetricExtent::average},
    {"kl_reverse.p99", "nat", kUp, [](const LogitsComparison& f) { return f.kl_reverse.p99; },
     MetricExtent::average},
    {"kl_reverse.max", "nat", kUp, [](const LogitsComparison& f) { return f.kl_reverse.max; }},
    {"top1_agreement", "", kDown, [](const LogitsComparison& f) { return f.top1_agreement; },
     MetricExtent::average},
    {"topk_overlap", "", kDown, smallest_topk_overlap, MetricExtent::average},
    {"flips", "positions", kUp, [](const LogitsComparison& f) { return count(f.flips); }},
    {"decided_flips", "positions", kUp,
     [](const LogitsComparison& f) { return count(f.decided_flips); }},
    {"max_flip_gap", "logit", kUp, [](const LogitsComparison& f) { return f.max_flip_gap; }},
    {"max_logprob_change", "nat", kUp,
     [](const LogitsComparison& f) { return f.max_logprob_change; }},
});

template <typename Facts>
const Metric<Facts>* find(std::span<const Metric<Facts>> metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric<Facts>& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace

std::span<const TensorMetric> tensor_metrics() { return kTensorMetrics; }
std::span<const LogitsMetric> logits_metrics() { return kLogitsMetrics; }

const TensorMetric* find_tensor_metric(std::string_view name) {
  return find(tensor_metrics(), name);
}
const LogitsMetric* find_logits_metric(std::string_view name) {
  return find(logits_metrics(), name);
}

double worse_of(double one, double other, Direction direction) {
  return direction == Direction::higher_is_worse ? std::max(one, other) : std::min(one, other);
}

bool is_beyond(double value, double limit, Direction direction) {
  // Written as "not inside", so that a NaN never passes.
  return direction == Direction::higher_is_worse ? !(value <= limit) : !(value >= limit);
}

std::string beyond_text(double value, std::string_view limit, Direction direction) {
  const bool up = direction == Direction::higher_is_worse;
  // NaN neither exceeds anything nor is below it.
  const char* how =
      std::isnan(value) ? (up ? "is not <= " : "is not >= ") : (up ? "exceeds " : "is below ");
  return how + std::string(limit);
}

}  // namespace parity::gate

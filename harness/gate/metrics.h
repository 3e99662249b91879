// The metrics that a bound can be put on, by the names that the report gives them.
// Only looks numbers up; knows no limit and gives no verdict.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/facts.h"
#include "compare/logits_facts.h"

namespace parity::gate {

/// Which way a metric gets worse: a bound is an upper limit for the one, a lower limit for the
/// other.
enum class Direction : std::uint8_t { higher_is_worse, lower_is_worse };

/// A number that stands for every part of what was compared (a count, the worst of all), or one
/// that averages over them and says little where there are few.
enum class MetricExtent : std::uint8_t { each, average };

/// One number of a comparison. `name` is the path of its key in the report JSON where it has one.
template <typename Facts>
struct Metric {
  std::string_view name;
  std::string_view unit;  ///< "" for ratios and shares
  Direction direction = Direction::higher_is_worse;
  double (*value)(const Facts&) = nullptr;
  MetricExtent extent = MetricExtent::each;  ///< of logits: over positions
};

using TensorMetric = Metric<compare::TensorComparison>;
using LogitsMetric = Metric<compare::LogitsComparison>;

[[nodiscard]] std::span<const TensorMetric> tensor_metrics();
[[nodiscard]] std::span<const LogitsMetric> logits_metrics();

/// nullptr when there is no metric of that name.
[[nodiscard]] const TensorMetric* find_tensor_metric(std::string_view name);
[[nodiscard]] const LogitsMetric* find_logits_metric(std::string_view name);

/// True when `value` is not shown to be inside `limit`. A NaN on either side is beyond.
[[nodiscard]] bool is_beyond(double value, double limit, Direction direction);

/// "exceeds 0.0625 x 2", "is below 0.99": how `value` is beyond a limit that is written as `limit`.
[[nodiscard]] std::string beyond_text(double value, std::string_view limit, Direction direction);

/// The one that is further off.
[[nodiscard]] double worse_of(double one, double other, Direction direction);

}  // namespace parity::gate

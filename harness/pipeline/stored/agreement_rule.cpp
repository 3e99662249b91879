#include "pipeline/stored/agreement_rule.h"

#include <cmath>

#include <fmt/format.h>

namespace parity::pipeline {

std::string disagreement(std::string_view figure, double value, std::string_view other,
                         double other_value) {
  return disagreement(figure, fmt::format("{}", value), other, fmt::format("{}", other_value));
}

std::string disagreement(std::string_view figure, std::string_view value, std::string_view other,
                         std::string_view other_value) {
  return fmt::format("{} {} does not go with {} {}", figure, value, other, other_value);
}

Contradiction outside(std::string_view figure, double value, double least, double most) {
  if (value >= least && value <= most) return std::nullopt;
  return fmt::format("{} {} is outside of {} to {}", figure, value, least, most);
}

bool at_most(double value, double limit) {
  // Sums of float64 over any tensor that fits a machine are more exact; the second is for what is
  // lost at the lower end of the range.
  constexpr double kRounding = 1e-6;
  constexpr double kUnderflow = 1e-290;
  return value <= limit + (std::abs(limit) * kRounding + kUnderflow);
}

bool is_same(double value, double other) {
  return value == other || (std::isnan(value) && std::isnan(other));
}

}  // namespace parity::pipeline

// The shape of a rule by which two figures of one report cannot both be true, and the sentence that
// says so. Knows no figure itself.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parity::pipeline {

/// Which two figures disagree, in words; nullopt where all agree.
using Contradiction = std::optional<std::string>;

/// "nrmse 0 does not go with max_error_over_rms 0.5".
[[nodiscard]] std::string disagreement(std::string_view figure, double value,
                                       std::string_view other, double other_value);
[[nodiscard]] std::string disagreement(std::string_view figure, std::string_view value,
                                       std::string_view other, std::string_view other_value);

/// A figure of T that cannot be what it is beside another.
template <typename T>
struct AgreementRule {
  std::string_view figure;
  double (*value)(const T&);
  std::string_view other;
  double (*other_value)(const T&);
  bool (*holds)(const T&);
};

/// A figure of T that is outside what it can be whatever the others are.
template <typename T>
struct RangeRule {
  std::string_view figure;
  double (*value)(const T&);
  double least;
  double most;
};

/// "cosine 55 is outside of -1 to 1"; nullopt inside. A NaN is outside.
[[nodiscard]] Contradiction outside(std::string_view figure, double value, double least,
                                    double most);

/// The first rule that is broken: later ones may rely on earlier ones.
template <typename T>
[[nodiscard]] Contradiction first_broken(std::span<const AgreementRule<T>> rules,
                                         const T& subject) {
  for (const AgreementRule<T>& rule : rules) {
    if (!rule.holds(subject)) {
      return disagreement(rule.figure, rule.value(subject), rule.other, rule.other_value(subject));
    }
  }
  return std::nullopt;
}

template <typename T>
[[nodiscard]] Contradiction first_outside(std::span<const RangeRule<T>> rules, const T& subject) {
  for (const RangeRule<T>& rule : rules) {
    if (Contradiction found = outside(rule.figure, rule.value(subject), rule.least, rule.most))
      return found;
  }
  return std::nullopt;
}

/// `value <= limit` but for the rounding of sums, which were added in another order. False for NaN.
[[nodiscard]] bool at_most(double value, double limit);
/// Equal, or both NaN.
[[nodiscard]] bool is_same(double value, double other);

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A count among figures.
[[nodiscard]] inline double number(std::uint64_t count) { return static_cast<double>(count); }

}  // namespace parity::pipeline

// Policies that cannot mean what they say: refused before anything is judged by them, in one
// sentence that names file and line. Judges no tap.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gate/rule_book.h"
#include "run/recording.h"
#include "run/tap.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// Throws Error(usage) on a book that is wrong by itself: no rule, no bound, no reason, a metric
/// that does not exist, limits that are NaN, negative or in the wrong order, limits that rounding
/// cannot keep to or that anything keeps to, and whatever is there twice.
void validate(const RuleBook& book);

/// Throws Error(usage): `problem` of the book at `line`.
[[noreturn]] void refuse(const RuleBook& book, int line, const std::string& problem);

/// Throws Error(usage) unless `factor` is finite and at least 1.
void check_truth_factor(const RuleBook& book, int line, double factor);

/// Of elements or positions, where it is not known how many there are.
inline constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

/// A tap of the reference, as rules see it.
struct RuleSubject {
  run::TapId tap;
  tensor::DType dtype = tensor::DType::float32;  ///< whose rounding it has
  std::string case_name;
  run::Role role = run::Role::activation;
  std::uint64_t elements = kAnyNumber;   ///< that a comparison of it counts: complex ones twice
  std::uint64_t positions = kAnyNumber;  ///< rows, of logits
};

/// Throws Error(usage) when a rule that is not optional matches none of the taps, or judges none
/// since earlier rules do, or has a limit that the dtype of one of the taps it judges cannot keep
/// to, or one on a count that none of them could exceed.
void check_against(const RuleBook& book, const std::vector<RuleSubject>& taps);

/// Whether the comparison measures what some bounds are on.
enum class Measured : std::uint8_t { no, yes };

/// Throws Error(usage) on a bound that nothing in this comparison could be held to, unless it is
/// optional.
void check_measured(const RuleBook& book, Measured introduced, Measured truth);

}  // namespace parity::gate

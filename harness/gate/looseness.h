// Limits that a worthless result keeps to: a tensor of zeros, one several times too large, a guess
// among all tokens. Looks at limits alone; compares nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace parity::gate {

/// From here on a truth factor or ratio would let through what is two orders of magnitude further
/// from the truth than the reference: no rounding is.
inline constexpr double kLargestTruthFactor = 100;

/// Why an upper limit on `metric` (without "introduced.") is one that anything keeps to; empty when
/// it is not.
[[nodiscard]] std::string looseness(std::string_view metric, double limit);

/// The same for what is counted in steps of `dtype`.
[[nodiscard]] std::string looseness_in(tensor::DType dtype, std::string_view metric, double limit);

/// The same for a count of `unit` (of metrics.h), of which what the rule judges has `most` at most;
/// 0 where that is not known.
[[nodiscard]] std::string looseness_of_count(std::string_view unit, double limit,
                                             std::uint64_t most);

/// The same for lower limits, on metrics that are between 0 and 1. A fail limit of 0 that only ever
/// warns is one that can be kept and can be missed.
[[nodiscard]] std::string looseness_from_below(double warn, double fail);

/// Whether an upper limit on `metric` turns every worthless result red without the help of another
/// bound.
[[nodiscard]] bool can_judge_alone(std::string_view metric, double limit);

}  // namespace parity::gate

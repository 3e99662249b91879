// What the classes of pairs say by themselves, before any bound.
#pragma once

#include <cstdint>

#include "compare/facts.h"

namespace parity::gate {

/// Pairs that are not finite on one side alone, which no bound and no truth excuses.
[[nodiscard]] std::uint64_t one_sided(const compare::ClassCounts& classes);

/// Subnormal numbers of the wide-range formats are below 1.2e-38 and their flushing is a setting of
/// the device; those of float16 and float8 are values that models use.
[[nodiscard]] bool is_only_flushing(const compare::TensorComparison& facts);

}  // namespace parity::gate

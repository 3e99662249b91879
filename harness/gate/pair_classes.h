// What the classes of pairs say by themselves, before any bound: bits that are the same, NaN and
// Inf that one side alone has, numbers that were flushed to zero. Knows no limit and gives no
// verdict.
#pragma once

#include <cstdint>

#include "compare/facts.h"

namespace parity::gate {

/// Pairs that are not finite on one side alone, which no bound and no truth excuses.
[[nodiscard]] std::uint64_t one_sided(const compare::ClassCounts& classes);

/// Every bit equal, payloads of NaN aside. Needs dtypes to be equal and every figure to agree, so
/// that one figure that was not computed cannot make tensors identical.
[[nodiscard]] bool is_identical(const compare::TensorComparison& facts);

/// Subnormal numbers of the wide-range formats are below 1.2e-38 and their flushing is a setting of
/// the device; those of float16 and float8 are values that models use.
[[nodiscard]] bool is_only_flushing(const compare::TensorComparison& facts);

}  // namespace parity::gate

// What the values behind each tap have been rounded to on their way, out of the dtypes that were
// recorded before it. Knows no graph: what came earlier may have gone in.
#pragma once

#include <optional>
#include <vector>

#include "run/recording.h"
#include "tensor/dtype.h"

namespace parity::pipeline {

/// For each tap, the coarsest floating dtype of those before it; nullopt where there is none.
[[nodiscard]] std::vector<std::optional<tensor::DType>> inherited_dtypes(
    const std::vector<run::TapRecord>& taps);

}  // namespace parity::pipeline

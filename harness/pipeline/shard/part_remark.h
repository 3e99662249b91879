// What a reader of results has to know of a golden that is a part of a recording.
#pragma once

#include <string>

#include "golden_store/golden_reader.h"

namespace parity::pipeline {

/// Empty for a whole golden.
[[nodiscard]] std::string part_remark(const golden_store::GoldenReader& golden);

}  // namespace parity::pipeline

// Cases of two goldens are the same case when they have the same name. Looks at no input of them:
// see same_inputs.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "golden_store/golden_reader.h"

namespace parity::pipeline {

/// nullopt when the golden has no case of that name.
[[nodiscard]] std::optional<std::size_t> find_case(const golden_store::GoldenReader& golden,
                                                   const std::string& name);

}  // namespace parity::pipeline

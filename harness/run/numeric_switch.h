// Which differences between two environments change numbers: one answer for everybody who asks.
#pragma once

#include <string_view>

#include "run/provenance.h"

namespace parity::run {

/// The summary of the variables (fact_groups.h) where none was set.
inline constexpr std::string_view kNoVariables = "none";

/// Whether the key is of group "switch.", or names a variable that changes numbers.
[[nodiscard]] bool is_numeric_switch(std::string_view key);

/// Whether a difference of this key changes numbers between two runs: it is a numeric switch. The
/// number of threads is one only where both computed on a CPU. The summary of the variables is one
/// where one side alone recorded them and has set any that is.
[[nodiscard]] bool changes_numbers(std::string_view key, const Provenance& one,
                                   const Provenance& other);

}  // namespace parity::run

// Which differences between two environments change numbers: one answer for everybody who asks.
#pragma once

#include <string_view>

#include "run/provenance.h"

namespace parity::run {

/// Whether a difference of this key changes numbers between two runs: it is of group "switch.". The
/// number of threads does only where both computed on a CPU.
[[nodiscard]] bool changes_numbers(std::string_view key, const Provenance& one,
                                   const Provenance& other);

}  // namespace parity::run

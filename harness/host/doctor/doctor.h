// All checks of a machine, in the order in which their findings are read.
#pragma once

#include <vector>

#include "host/doctor/view.h"

namespace parity::host {

/// In order: what the machine is, its drivers and devices, the libraries, then what takes time.
/// Further ones join this list.
[[nodiscard]] const std::vector<Check>& checks();

[[nodiscard]] run::Diagnosis diagnose(const System& system, const Subject& subject);

}  // namespace parity::host

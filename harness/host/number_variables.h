// The environment variables that change numbers, as facts of a run.
#pragma once

#include "host/system.h"
#include "run/provenance.h"

namespace parity::host {

/// What a run computes on.
enum class Platform : std::uint8_t { cpu, cuda, hip };

/// Facts "variable.NAME" of those of the doctor's table that are set and that such a run obeys;
/// "variable.set": their names, or "none". The value of one that names a file has the file's mark
/// behind it.
[[nodiscard]] run::Provenance number_variable_facts(const System& system, Platform platform);

/// Of a run's facts "device.type" and "device.vendor".
[[nodiscard]] Platform platform_of(const run::Provenance& run);

}  // namespace parity::host

// A device of torch as the numeric probes see it.
#pragma once

#include <memory>

#include "run/probe.h"
#include "run/settings.h"

namespace parity::model {

/// The device that `settings` names. Every operation runs with the settings in force, but for the
/// precision of float32 products that it is asked for, and leaves them in force: a model may be
/// open beside it. Throws Error(device) when it is not there.
[[nodiscard]] std::unique_ptr<run::ProbeDevice> open_probe_device(const run::Settings& settings);

}  // namespace parity::model

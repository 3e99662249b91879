// A probe that fails is a result, too: a recording must not be lost to it. Private to the folder.
#pragma once

#include <functional>
#include <string>

#include "run/probe.h"

namespace parity::host {

/// The number in few digits: "-0.25", "9.54e-07".
[[nodiscard]] std::string short_text(double value);

/// What `body` fills in; where it throws Error, kNotAvailable or kNoMemory of run/probe.h with the
/// error as detail.
[[nodiscard]] run::Probe attempt(std::string name, const std::function<void(run::Probe&)>& body);

}  // namespace parity::host

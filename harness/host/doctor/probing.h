// What the numeric probes of a device say, as findings.
#pragma once

#include <string>

#include "run/finding.h"

namespace parity::host {

/// From the facts "DEVICE.probe.NAME" and "DEVICE.probe_detail.NAME" that a trial left behind; no
/// finding where it left none.
void add_probe_findings(const std::string& device, run::Diagnosis& diagnosis);

}  // namespace parity::host

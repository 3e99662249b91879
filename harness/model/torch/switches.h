// Private to model/: the numeric switches as torch has them in force, for the record.
// Reads alone; they are set where a run is prepared.
#pragma once

#include <c10/core/Device.h>

#include "run/provenance.h"
#include "run/settings.h"

namespace parity::model {

/// Facts of group "switch.": what was asked for, and what torch says is in force. Dtype, taps and
/// seed are the recording's facts, not torch's.
[[nodiscard]] run::Provenance switch_facts(const c10::Device& device,
                                           const run::Settings& settings);

/// Puts the precision of float32 matrix products and convolutions in force, on every device.
void put_fp32_precision(run::Fp32Precision precision);

}  // namespace parity::model

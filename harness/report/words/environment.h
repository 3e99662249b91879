// What a report says of the devices and the environments of both sides, for every format that is
// read by a person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/data/blessing.h"
#include "report/data/report.h"

namespace parity::report {

/// "NVIDIA H200 (NVIDIA, sm_90)"; "unknown device" without a name.
[[nodiscard]] std::string device_text(const Side& side);

/// Whether the difference is one of a switch that changes numbers where these two sides ran. The
/// number of threads does only where both computed on a CPU.
[[nodiscard]] bool changes_numbers(const Report& report, const run::Difference& difference);
[[nodiscard]] bool changes_numbers(const Blessing& blessing, const run::Difference& difference);

/// "changes numbers", "what is compared" of the device itself, or "".
[[nodiscard]] std::string_view mark_of(const Report& report, const run::Difference& difference);

/// Whether a switch differs that may explain the numbers of a whole run.
[[nodiscard]] bool has_decisive_switch(const Report& report);

/// The differences of a report, those that change numbers first, then other switches.
[[nodiscard]] std::vector<run::Difference> switches_first(const Report& report);

}  // namespace parity::report

// What a report says of the devices and the environments of both sides, for every format that is
// read by a person.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "history/run.h"
#include "report/data/blessing.h"
#include "report/data/report.h"

namespace parity::report {

/// "NVIDIA H200 (NVIDIA, sm_90)"; "unknown device" without a name.
[[nodiscard]] std::string device_text(const Side& side);

/// Whether the difference is one of a switch that changes numbers where these two sides ran. The
/// number of threads does only where both computed on a CPU.
[[nodiscard]] bool changes_numbers(const Report& report, const run::Difference& difference);
[[nodiscard]] bool changes_numbers(const Blessing& blessing, const run::Difference& difference);

/// "changes numbers", "what is compared" of the device itself, "other arithmetic" of a probe, or
/// "".
[[nodiscard]] std::string_view mark_of(const Report& report, const run::Difference& difference);

/// Whether a switch differs that may explain the numbers of a whole run.
[[nodiscard]] bool has_decisive_switch(const Report& report);

/// Where one side has set variables that change numbers and the other side did not record its own,
/// that these are unknown: they need not be absent.
[[nodiscard]] run::Difference as_shown(run::Difference difference);

/// The differences of a report as they are shown, those that change numbers first, then other
/// switches, probes, the devices, and the rest. Libraries that one side alone has loaded are one
/// row with all names.
[[nodiscard]] std::vector<run::Difference> switches_first(const Report& report);

/// Where both sides ran on the same device: that it proves nothing about another vendor's, and
/// whether the host was the same, too. Empty where they did not.
[[nodiscard]] std::string self_comparison_text(const Report& report);
[[nodiscard]] std::string self_comparison_text(const history::Run& night);

}  // namespace parity::report

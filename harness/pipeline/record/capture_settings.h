// What a recording must remember of how it was captured, so that a replay captures the same.
// Written into provenance and read back out of it; captures nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/provenance.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Which taps a run hands on.
struct TapChoice {
  std::vector<std::string> layers;  ///< globs; empty: all
  std::vector<std::string> skip;    ///< globs
};

/// Adds "switch.dtype" and group "capture." to a recording's provenance.
void record_capture(run::Provenance& provenance, const run::Settings& settings,
                    const TapChoice& taps);

/// Where the dtype of a replay comes from.
enum class DtypeSource : std::uint8_t { golden, settings };

/// What a person asked for at replay; what is absent comes from the golden.
struct ReplayOverrides {
  DtypeSource dtype = DtypeSource::golden;
  std::optional<run::TapDepth> taps;
  std::optional<std::vector<std::string>> layers;
  std::optional<std::vector<std::string>> skip;
  std::optional<std::uint64_t> seed;
};

/// `settings` (device, dtype when given, numeric switches) completed by what the golden was
/// captured with. Throws Error(store) when the golden's own facts are malformed.
[[nodiscard]] run::Settings replay_settings(run::Settings settings,
                                            const ReplayOverrides& overrides,
                                            const run::Provenance& golden);
[[nodiscard]] TapChoice replay_taps(const ReplayOverrides& overrides,
                                    const run::Provenance& golden);

/// Throws Error(usage) naming the first of `globs`, which matched no tap: a typing error must not
/// hide a layer.
void refuse_unmatched_globs(const std::vector<std::string>& globs);

}  // namespace parity::pipeline

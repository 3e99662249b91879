// Groups of facts in a provenance that are recorded all together or not at all, and what follows
// for a comparison of two.
#pragma once

#include <string_view>

#include "run/provenance.h"

namespace parity::run {

struct FactGroup {
  std::string_view prefix;
  std::string_view summary;  ///< the fact that says that the group was recorded
};

/// Kernel libraries in use, by content.
inline constexpr FactGroup kLibraryFiles{"library.file.", "library.files"};
/// Environment variables that change numbers.
inline constexpr FactGroup kVariables{"variable.", "variable.set"};
/// Numeric probes of the device.
inline constexpr FactGroup kProbes{"probe.", "probe.digest"};

/// Whether a difference of this key says something about two environments: not of groups "run." and
/// "capture."; of a group that one side did not record, only of its summary.
[[nodiscard]] bool is_compared(std::string_view key, const Provenance& one,
                               const Provenance& other);

/// True when nothing that both recorded about their hosts differs (group "host.", driver).
[[nodiscard]] bool same_host(const Provenance& reference, const Provenance& candidate);

}  // namespace parity::run

// Which taps are captured: globs over layer paths and tap names.
// Knows names alone: no tensor is looked at, and no order of taps is assumed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/glob.h"
#include "run/tap.h"

namespace parity::capture {

/// Keeps a tap when some `layers` glob (all, when empty) and no `skip` glob matches its path or its
/// full name. Model outputs are always kept. Remembers which globs never matched, so that a typing
/// error is seen.
class TapFilter {
 public:
  TapFilter(std::vector<std::string> layers, std::vector<std::string> skip);

  [[nodiscard]] bool keeps(const run::TapId& id);
  /// Globs that matched no tap so far.
  [[nodiscard]] std::vector<std::string> unmatched() const;
  /// What a person should know of the taps so far: that the globs turned every layer away, so that
  /// the model's outputs alone are left. Empty when a layer was kept, or none came.
  [[nodiscard]] std::string remark() const;

 private:
  struct Pattern {
    run::Glob glob;
    bool matched = false;
  };
  static bool any_matches(std::vector<Pattern>& patterns, const run::TapId& id);

  std::vector<Pattern> layers_;
  std::vector<Pattern> skip_;
  std::uint64_t kept_layers_ = 0;
  std::uint64_t turned_away_ = 0;
};

}  // namespace parity::capture

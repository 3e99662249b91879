// What a look at the machine found: each with what was seen, why it matters and what to do.
// Knows neither how it was looked for nor how it is shown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/provenance.h"

namespace parity::run {

/// How much a finding matters: a problem stops a run, a warning changes numbers or may stop one, a
/// note is worth knowing.
enum class Level : std::uint8_t { ok, note, warning, problem };

/// One way to mend something: words, a command line to paste, or both.
struct Remedy {
  std::string words;
  std::string command;
};

struct Finding {
  std::string check;  ///< which check found it, "devices.amd"
  Level level = Level::ok;
  std::string seen;  ///< one sentence
  std::string why;   ///< why it matters; empty where `seen` says enough
  std::vector<Remedy> fix;
};

/// All of a machine. Facts are what the checks read on their way.
struct Diagnosis {
  std::vector<Finding> findings;
  Provenance facts;
};

/// The worst level of all findings; ok when there are none.
[[nodiscard]] Level worst(const Diagnosis& diagnosis);

[[nodiscard]] std::string_view name(Level level);

}  // namespace parity::run

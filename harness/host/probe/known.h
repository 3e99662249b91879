// What each probe means, and what it gives on the devices whose arithmetic is published. Facts with
// their sources; nothing is computed or guessed here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "run/probe.h"

namespace parity::host {

struct ProbeMeaning {
  std::string_view probe;  ///< name up to its first dot: "accumulation"
  std::string_view meaning;
  std::string_view known_for;  ///< with source
};
[[nodiscard]] std::span<const ProbeMeaning> probe_meanings();
/// nullptr for a probe that is not in the table.
[[nodiscard]] const ProbeMeaning* meaning_of(std::string_view probe);

/// One text that a probe gives on one kind of unit.
struct KnownPattern {
  std::string_view probe;  ///< "accumulation.float16"
  std::string_view unit;   ///< "NVIDIA Hopper and Blackwell"
  std::string_view archs;  ///< where it is expected, each with a space behind it; "" for nowhere
  std::string_view text;
  std::string_view source;
};
[[nodiscard]] std::span<const KnownPattern> known_patterns();

enum class Standing : std::uint8_t {
  as_known,   ///< what is published of this architecture
  elsewhere,  ///< published of others; nothing is of this one
  otherwise,  ///< something else than what is published of this architecture
  unknown,    ///< nothing is published that it could be held against
};

struct Recognition {
  Standing standing = Standing::unknown;
  std::string words;  ///< one sentence with the source
};
/// `arch`: "sm_90", "gfx942", or whatever the device calls itself.
[[nodiscard]] Recognition recognise(std::string_view arch, const run::Probe& probe);

}  // namespace parity::host

// The variables that change numbers: what each does to a comparison, and the document that says so.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "run/finding.h"

namespace parity::host {

/// Whose runs a variable has a say in.
enum class Obeyed : std::uint8_t { on_cpu, on_cuda, on_hip, on_gpu };

struct Switch {
  std::string_view name;
  run::Level level;       ///< when set to anything but a harmless value
  std::string_view fine;  ///< harmless values, each with a space behind it
  std::string_view effect;
  std::string_view source;
  Obeyed obeyed;
};

/// docs/doctor.md shows the same table.
[[nodiscard]] std::span<const Switch> number_switches();

}  // namespace parity::host

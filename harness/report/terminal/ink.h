// Colours of a terminal, or none.
// Whether a terminal has colours is decided in cli/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/terminal/table.h"
#include "run/verdict.h"

namespace parity::report {

enum class Tone : std::uint8_t { plain, strong, good, warning, bad };

[[nodiscard]] Tone tone_of(run::Verdict verdict);

/// `text` in the tone, or as it is when colours are off.
[[nodiscard]] std::string paint(std::string_view text, Tone tone, Color color);

}  // namespace parity::report

// What the table says below its rows, as plain text for formats that carry text: no colours, lines
// as long as they need to be.
#pragma once

#include <string>
#include <vector>

#include "report/data/report.h"

namespace parity::report {

/// A tap's reasons, figures, places, patterns and worst elements, a line each, every one clean.
[[nodiscard]] std::string tap_text(const Tap& tap);
[[nodiscard]] std::string logits_text(const Logits& logits);
/// "" for a case without a decode.
[[nodiscard]] std::string decode_text(const Case& item);

/// One line: "nrmse 1.2e-01, ulp p50 2 p99 ~300 max 4711, ..."; "" where nothing was measured.
[[nodiscard]] std::string figures_text(const Tap& tap);

/// "one; two".
[[nodiscard]] std::string joined(const std::vector<std::string>& texts);
/// "(absent)" for an empty value.
[[nodiscard]] std::string absent_or(const std::string& value);

}  // namespace parity::report

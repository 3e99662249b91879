// A report that --json wrote, read back to be judged, shown or kept: the one way in. What cannot be
// a report, or contradicts itself, comes no further.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "report/data/report.h"

namespace parity::pipeline {

struct StoredReport {
  report::Report report;
  std::string text;  ///< of the file, byte for byte
};

/// Throws Error(usage), naming the file, when it cannot be read, is larger than any report, is no
/// report, or contradicts itself.
[[nodiscard]] StoredReport read_stored_report(const std::filesystem::path& file);

/// The same of a text that messages call `file`.
[[nodiscard]] report::Report stored_report(std::string_view text, const std::string& file);

}  // namespace parity::pipeline

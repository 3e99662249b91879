// The kinds of text file that commands write, each told by its own mark: a result replaces an older
// one of its kind, not what a mistyped name points at.
#pragma once

#include <string_view>

#include "cli/output_paths.h"
#include "report/json/schemas.h"

namespace parity::cli {

struct FileKind {
  std::string_view name;
  std::string_view start;        ///< what stands first, behind white space
  std::string_view holds = {};   ///< what comes soon; empty where the start says enough
  std::string_view schema = {};  ///< of a JSON document: the value of `schema`, its first key
};

/// A JSON document of that schema.
constexpr FileKind json_file(std::string_view name, std::string_view schema) {
  return {name, "{", "", schema};
}

inline constexpr FileKind kReportFile = json_file("JSON report of parity", report::kReportSchema);
inline constexpr FileKind kInspectionFile =
    json_file("JSON of parity inspect", report::kInspectionSchema);
inline constexpr FileKind kSelftestFile =
    json_file("JSON of parity selftest", report::kSelftestSchema);
inline constexpr FileKind kHistoryFile =
    json_file("JSON of parity history show", report::kHistorySchema);
inline constexpr FileKind kCalibrationFile =
    json_file("JSON of parity calibrate", report::kCalibrationSchema);
inline constexpr FileKind kBlessingFile = json_file("JSON of parity bless", report::kBlessSchema);
inline constexpr FileKind kTimelineFile = json_file("timeline of parity", report::kTimelineSchema);
inline constexpr FileKind kDoctorFile = json_file("JSON of parity doctor", report::kDoctorSchema);

inline constexpr FileKind kJunitFile = {"JUnit XML of parity", "<", "<testsuites name=\"parity\""};
inline constexpr FileKind kMarkdownFile = {"Markdown report of parity", "## parity: "};
inline constexpr FileKind kReviewFile = {"review by parity bless", "## parity bless: "};
inline constexpr FileKind kHtmlFile = {"HTML report of parity", "<!doctype html>",
                                       "content=\"parity report\""};
inline constexpr FileKind kDashboardPage = {"page of parity's dashboard", "<!doctype html>",
                                            "content=\"parity dashboard\""};
inline constexpr FileKind kReportMetrics = {"OpenMetrics of a report of parity",
                                            "# TYPE parity_gate_passed "};
inline constexpr FileKind kHistoryMetrics = {"OpenMetrics of a history of parity",
                                             "# TYPE parity_history_state "};
inline constexpr FileKind kPolicyFile = {"policy that parity calibrate made",
                                         "# Calibrated by parity"};
inline constexpr FileKind kTableFile = {"table of parity", "parity     "};

/// Throws Error(usage) when `output` is a file with something in it that is of another kind. No
/// path and "-" are fine.
void check_replaces(const FlaggedPath& output, const FileKind& kind);

}  // namespace parity::cli

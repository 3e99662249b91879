// Names and versions of the JSON documents, as their key `schema` says them. What is in each stands
// in docs/.
#pragma once

#include <string_view>

namespace parity::report {

inline constexpr std::string_view kReportSchema = "parity-report/1";
inline constexpr std::string_view kInspectionSchema = "parity-inspection/1";
inline constexpr std::string_view kSelftestSchema = "parity-selftest/1";
inline constexpr std::string_view kHistorySchema = "parity-history/1";
inline constexpr std::string_view kCalibrationSchema = "parity-calibration/1";
inline constexpr std::string_view kBlessSchema = "parity-bless/1";
inline constexpr std::string_view kTimelineSchema = "parity-timeline/1";
inline constexpr std::string_view kDoctorSchema = "parity-doctor/1";

}  // namespace parity::report

// What a process that tries a device tells the one that watches it, line by line, so that whatever
// was said before it died is known: the words both sides agree on.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace parity::run {

/// Takes one line; the other side must have it before the next step starts.
using Say = std::function<void(const std::string& line)>;

inline constexpr std::string_view kStep = "step ";      ///< "step matmul": this comes next
inline constexpr std::string_view kFact = "fact ";      ///< "fact copy.pinned_gb_s 24.1"
inline constexpr std::string_view kWrong = "wrong ";    ///< a result that is not what it must be
inline constexpr std::string_view kFailed = "failed ";  ///< an error, in one line
inline constexpr std::string_view kDone = "done";

/// Keys of facts that are figures.
inline constexpr std::string_view kDeviceCount = "devices";
inline constexpr std::string_view kTorchFolder = "torch.folder";
inline constexpr std::string_view kTorchHeaders = "torch.headers";
inline constexpr std::string_view kTorchProblem = "torch.problem";
inline constexpr std::string_view kLibraryProblem = "library.problem";
inline constexpr std::string_view kRuntimeProblem = "runtime.problem";
inline constexpr std::string_view kPinnedRate = "copy.pinned_gb_s";
inline constexpr std::string_view kPageableRate = "copy.pageable_gb_s";
inline constexpr std::string_view kOverlap = "copy.overlapped_to_serial";
inline constexpr std::string_view kProbeDetail = "probe_detail.";  ///< and the probe's name
inline constexpr std::string_view kPlannedBytes = "planned_bytes";

}  // namespace parity::run

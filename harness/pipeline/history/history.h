// `parity history`: reports in, what nights changed out. Turns a report into a night; knows nothing
// of flags and printing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "history/changes.h"
#include "history/moment.h"
#include "history/store.h"
#include "report/data/report.h"

namespace parity::pipeline {

/// For flags and messages: times as the history writes them.
using history::minute_text;
using history::parse_time;

/// Where a night goes and what is known of it besides its report.
struct NightRequest {
  std::filesystem::path database;
  std::string series = "main";
  std::string link;
  std::optional<std::int64_t> time_s;  ///< nullopt: when the report was written, or now without one
};

struct AddedNight {
  history::Addition addition = history::Addition::added;
  std::int64_t time_s = 0;
  std::string sentence;  ///< "gate passed", "infrastructure (exit code 3): ..."
};

/// Throws Error(usage) for a report that cannot be read; the database is untouched then.
[[nodiscard]] AddedNight add_report(const NightRequest& request,
                                    const std::filesystem::path& report);

/// A night without a report. Exit code nullopt: nothing was started; 2: no judgement was possible;
/// above: infrastructure. Throws Error(usage) for 0 and 1, which have a report.
[[nodiscard]] AddedNight add_no_report(const NightRequest& request,
                                       const std::optional<int>& exit_code,
                                       const std::string& reason);

/// The night that a report tells of, without series, time, link and digest.
[[nodiscard]] history::Run night_of(const report::Report& report);

/// Every series, or the one of this name, with what their newest `told` nights changed. `now_s`
/// nullopt: now.
[[nodiscard]] std::vector<history::Timeline> read_timelines(
    const std::filesystem::path& database, const std::string& series,
    const std::optional<std::int64_t>& now_s, std::size_t told = history::kAllNights);

}  // namespace parity::pipeline

// Times of nights as text: UTC, to the second. Knows no time zones and no locale.
#pragma once

#include <cstdint>
#include <string>

namespace parity::history {

/// Seconds since 1970 of "2026-10-30", "2026-10-30T02:00", "2026-10-30T02:00:00" (a space may stand
/// for the T, a Z at the end), all UTC, or of "@1793325600". Throws Error(usage) for anything else
/// and for dates that no calendar has.
[[nodiscard]] std::int64_t parse_time(const std::string& text);

/// "2026-10-30T02:00:00Z".
[[nodiscard]] std::string iso_time(std::int64_t time_s);
/// "2026-10-30 02:00".
[[nodiscard]] std::string minute_text(std::int64_t time_s);
/// "2026-10-30".
[[nodiscard]] std::string day_text(std::int64_t time_s);

}  // namespace parity::history

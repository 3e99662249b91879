#include "history/moment.h"

#include <chrono>
#include <regex>

#include <fmt/format.h>

#include "error/error.h"

namespace parity::history {
namespace {

namespace chrono = std::chrono;

constexpr std::int64_t kLatest_s = 253402300799;  // the last second of the year 9999

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::usage, "'" + text +
                                    "' is no time; write 2026-10-30, 2026-10-30T02:00:00Z (UTC) or "
                                    "@SECONDS since 1970");
}

struct Parts {
  chrono::year_month_day date;
  chrono::hh_mm_ss<chrono::seconds> clock;
};

Parts parts_of(std::int64_t time_s) {
  const chrono::sys_seconds moment{chrono::seconds(time_s)};
  const auto day = chrono::floor<chrono::days>(moment);
  return {chrono::year_month_day(day), chrono::hh_mm_ss<chrono::seconds>(moment - day)};
}

}  // namespace

std::int64_t parse_time(const std::string& text) {
  static const std::regex kSeconds("@(\\d{1,12})");
  static const std::regex kDate(
      "(\\d{4})-(\\d\\d)-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)(?::(\\d\\d)(?:\\.\\d+)?)?Z?)?");
  std::smatch match;
  if (std::regex_match(text, match, kSeconds)) {
    const std::int64_t seconds = std::stoll(match[1]);
    if (seconds > kLatest_s) refuse(text);
    return seconds;
  }
  if (!std::regex_match(text, match, kDate)) refuse(text);
  const auto number = [&](std::size_t part) {
    return match[part].matched ? std::stoi(match[part]) : 0;
  };
  const chrono::year_month_day date{chrono::year(number(1)),
                                    chrono::month(static_cast<unsigned>(number(2))),
                                    chrono::day(static_cast<unsigned>(number(3)))};
  if (!date.ok() || number(1) < 1970 || number(4) > 23 || number(5) > 59 || number(6) > 59)
    refuse(text);
  const chrono::sys_seconds moment = chrono::sys_days(date) + chrono::hours(number(4)) +
                                     chrono::minutes(number(5)) + chrono::seconds(number(6));
  return moment.time_since_epoch().count();
}

std::string day_text(std::int64_t time_s) {
  const chrono::year_month_day date = parts_of(time_s).date;
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string minute_text(std::int64_t time_s) {
  const auto clock = parts_of(time_s).clock;
  return fmt::format("{} {:02}:{:02}", day_text(time_s), clock.hours().count(),
                     clock.minutes().count());
}

std::string iso_time(std::int64_t time_s) {
  const auto clock = parts_of(time_s).clock;
  return fmt::format("{}T{:02}:{:02}:{:02}Z", day_text(time_s), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

}  // namespace parity::history

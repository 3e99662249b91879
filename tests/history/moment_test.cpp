#include "history/moment.h"

#include <utility>

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::history {
namespace {

TEST(Moment, ReadsUtcAndSeconds) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"1970-01-01", 0},
      {"2026-10-01T02:00:00Z", 1'790'820'000},
      {"2026-10-01 02:00", 1'790'820'000},
      {"2026-10-01T02:00:00.123Z", 1'790'820'000},
      {"2024-02-29", 1'709'164'800},
      {"@1790820000", 1'790'820'000},
  };
  for (const auto& [text, seconds] : rows) EXPECT_EQ(parse_time(text), seconds) << text;
}

TEST(Moment, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "now", "2026-13-01", "2026-02-29", "2026-10-01T24:00", "01.10.2026", "@", "@-1",
        "2026-10-01T02:00:00+02:00", "1969-12-31", "@999999999999", "2026-10-01T02:00Zx"}) {
    EXPECT_THROW((void)parse_time(text), Error) << text;
  }
}

TEST(Moment, WritesWhatItReads) {
  EXPECT_EQ(iso_time(1'790'820'000), "2026-10-01T02:00:00Z");
  EXPECT_EQ(minute_text(1'790'820'059), "2026-10-01 02:00");
  EXPECT_EQ(day_text(0), "1970-01-01");
  EXPECT_EQ(parse_time(iso_time(1'709'164'801)), 1'709'164'801);
}

}  // namespace
}  // namespace parity::history

#include "cli/progress_bar.h"

#include <gtest/gtest.h>

namespace parity::cli {
namespace {

TEST(ProgressLine, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(progress_line("compare prose", 45, 90, 3'000'000'000, 2.0),
            "compare prose  [##########..........] 45/90 taps  1.5 GB/s  ETA 2 s");
  EXPECT_EQ(progress_line("compare prose", 1, 1000, 1'000'000, 10.0),
            "compare prose  [....................] 1/1000 taps  0 MB/s  ETA 2:46 h");
}

TEST(ProgressLine, PromisesNothingWhenTheTotalIsUnknownOrDone) {
  EXPECT_EQ(progress_line("record a", 12, 0, 5'000'000, 1.0), "record a  12 taps  5.0 MB  5 MB/s");
  EXPECT_EQ(progress_line("compare a", 9, 9, 9'000'000, 1.0),
            "compare a  [####################] 9/9 taps  9 MB/s");
}

}  // namespace
}  // namespace parity::cli

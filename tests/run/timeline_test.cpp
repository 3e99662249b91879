// Timelines: what threads say of their work, and nothing where nobody asks.
#include "run/timeline.h"

#include <algorithm>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

TEST(Timeline, KeepsNothingWhileNobodyAsks) {
  { const WorkSpan span("work"); }
  EXPECT_FALSE(keeps_timeline());
  const Timeline timeline;
  EXPECT_TRUE(keeps_timeline());
  EXPECT_TRUE(timeline.spans().empty());
}

TEST(Timeline, KeepsWhatWhenAndWho) {
  const Timeline timeline;
  name_timeline_lane("model");
  {
    const WorkSpan outer("outer");
    WorkSpan inner("inner", 12);
    inner.say("a tap");
  }
  const std::vector<TimelineSpan> spans = timeline.spans();
  ASSERT_EQ(spans.size(), 2U);
  const TimelineSpan& inner = spans[0];
  const TimelineSpan& outer = spans[1];
  EXPECT_STREQ(inner.what, "inner");
  EXPECT_EQ(inner.detail, "a tap");
  EXPECT_EQ(inner.bytes, 12U);
  EXPECT_GE(inner.start_us, outer.start_us);
  EXPECT_LE(inner.start_us + inner.duration_us, outer.start_us + outer.duration_us);
  EXPECT_EQ(timeline.lanes(), std::vector<std::string>{"model"});
}

TEST(Timeline, TellsThreadsApartAndGivesThePlacesOfEndedOnesAway) {
  const Timeline timeline;
  const auto work = [] {
    name_timeline_lane("digest");
    const WorkSpan span("digest");
  };
  for (int turn = 0; turn < 3; ++turn) std::thread(work).join();
  EXPECT_EQ(timeline.lanes(), std::vector<std::string>{"digest"});
  std::thread one;
  std::thread other([&] {
    name_timeline_lane("digest");
    one = std::thread(work);
    one.join();
  });
  other.join();
  EXPECT_EQ(timeline.lanes(), (std::vector<std::string>{"digest", "digest 2"}));
  EXPECT_EQ(timeline.spans().size(), 4U);
}

TEST(Timeline, BeginsAnewForTheSameThread) {
  {
    const Timeline first;
    name_timeline_lane("one");
  }
  const Timeline second;
  { const WorkSpan span("work"); }
  EXPECT_EQ(second.lanes(), std::vector<std::string>{"main"});
}

}  // namespace
}  // namespace parity::run

// What each thread of a command worked on and waited for, and when: kept for a person who wants to
// see whether copying, digesting, writing and comparing overlap. Costs one load of a pointer for
// each span while nobody asks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace parity::run {

/// One piece of work of one thread.
struct TimelineSpan {
  const char* what = "";  ///< "forward", "copy", "digest", "write", "read", "compare"
  std::string detail;     ///< the tap, the case or the file; may be empty
  std::uint64_t bytes = 0;
  std::size_t lane = 0;   ///< index in lanes()
  double start_us = 0.0;  ///< since the timeline began
  double duration_us = 0.0;
};

class TimelineLane;

/// Spans of all threads, in the order in which they ended. Any thread may add.
class Timeline {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts the clock and is the process's timeline until it is destroyed; there is one at a time.
  Timeline();
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  [[nodiscard]] std::vector<TimelineSpan> spans() const;
  /// Names of threads: "model", "digest", "store"; a thread that named itself not is "main".
  [[nodiscard]] std::vector<std::string> lanes() const;
  /// Spans beyond the most that are kept.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  friend class WorkSpan;
  friend class TimelineLane;
  void add(TimelineSpan span, Clock::time_point start, Clock::time_point end);
  [[nodiscard]] std::size_t take_lane(const std::string& name);
  void free_lane(std::size_t lane);

  const Clock::time_point began_ = Clock::now();
  std::uint64_t number_ = 0;  ///< tells this timeline's lanes from an earlier one's
  mutable std::mutex mutex_;
  std::vector<TimelineSpan> spans_;
  std::vector<std::string> lanes_;
  std::vector<std::string> names_;  ///< by lane, without numbers
  std::vector<std::string> free_;   ///< by lane: the name of those that another thread may have
  std::uint64_t dropped_ = 0;
};

/// Names the calling thread in the timeline that is kept, if one is. Threads that live at the same
/// time are told apart by numbers, "digest 2"; later ones take the places of those that ended.
void name_timeline_lane(const std::string& name);

/// Whether somebody asked for a timeline: for details that cost something to say.
[[nodiscard]] bool keeps_timeline();

/// From construction to destruction, of the calling thread.
class WorkSpan {
 public:
  explicit WorkSpan(const char* what, std::uint64_t bytes = 0);
  ~WorkSpan();
  WorkSpan(const WorkSpan&) = delete;
  WorkSpan& operator=(const WorkSpan&) = delete;

  void say(std::string detail) { detail_ = std::move(detail); }

 private:
  Timeline* timeline_;
  const char* what_;
  std::uint64_t bytes_;
  std::string detail_;
  Timeline::Clock::time_point start_;
};

}  // namespace parity::run

#include "run/timeline.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace parity::run {
namespace {

/// About 100 MB; a recording of 100,000 taps has half a million.
constexpr std::size_t kMostSpans = std::size_t{1} << 20U;

std::atomic<Timeline*> current_timeline{nullptr};
std::atomic<std::uint64_t> timeline_count{0};

double microseconds(Timeline::Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

/// The lane of a thread, in the timeline with that number.
class TimelineLane {
 public:
  TimelineLane() = default;
  ~TimelineLane() { leave(); }
  TimelineLane(const TimelineLane&) = delete;
  TimelineLane& operator=(const TimelineLane&) = delete;

  void take(Timeline& timeline, const std::string& name) {
    leave();
    number_ = timeline.number_;
    lane_ = timeline.take_lane(name);
  }
  [[nodiscard]] std::size_t in(Timeline& timeline) {
    if (number_ != timeline.number_) take(timeline, "main");
    return lane_;
  }

 private:
  void leave() {
    Timeline* const timeline = current_timeline;
    if (timeline != nullptr && timeline->number_ == number_) timeline->free_lane(lane_);
    number_ = 0;
  }

  std::uint64_t number_ = 0;
  std::size_t lane_ = 0;
};

namespace {
thread_local TimelineLane own;
}  // namespace

Timeline::Timeline() : number_(++timeline_count) { current_timeline = this; }
Timeline::~Timeline() { current_timeline = nullptr; }

std::size_t Timeline::take_lane(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto left = std::find(free_.begin(), free_.end(), name);
  if (left != free_.end()) {
    left->clear();
    return static_cast<std::size_t>(left - free_.begin());
  }
  std::string wanted = name;
  for (int number = 2; std::find(lanes_.begin(), lanes_.end(), wanted) != lanes_.end(); ++number)
    wanted = name + " " + std::to_string(number);
  lanes_.push_back(wanted);
  names_.push_back(name);
  free_.emplace_back();
  return lanes_.size() - 1;
}

void Timeline::free_lane(std::size_t lane) {
  const std::lock_guard lock(mutex_);
  free_.at(lane) = names_.at(lane);
}

void Timeline::add(TimelineSpan span, Clock::time_point start, Clock::time_point end) {
  span.lane = own.in(*this);
  span.start_us = microseconds(start - began_);
  span.duration_us = microseconds(end - start);
  const std::lock_guard lock(mutex_);
  if (spans_.size() < kMostSpans) {
    spans_.push_back(std::move(span));
  } else {
    ++dropped_;
  }
}

std::vector<TimelineSpan> Timeline::spans() const {
  const std::lock_guard lock(mutex_);
  return spans_;
}

std::vector<std::string> Timeline::lanes() const {
  const std::lock_guard lock(mutex_);
  return lanes_;
}

std::uint64_t Timeline::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void name_timeline_lane(const std::string& name) {
  Timeline* const timeline = current_timeline;
  if (timeline != nullptr) own.take(*timeline, name);
}

bool keeps_timeline() { return current_timeline != nullptr; }

WorkSpan::WorkSpan(const char* what, std::uint64_t bytes)
    : timeline_(current_timeline), what_(what), bytes_(bytes) {
  if (timeline_ != nullptr) start_ = Timeline::Clock::now();
}

WorkSpan::~WorkSpan() {
  if (timeline_ == nullptr) return;
  timeline_->add({what_, std::move(detail_), bytes_, 0, 0.0, 0.0}, start_, Timeline::Clock::now());
}

}  // namespace parity::run

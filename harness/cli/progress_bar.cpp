#include "cli/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace parity::cli {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);

std::string rate(double bytes_per_s) {
  if (bytes_per_s >= 1e9) return fmt::format("{:.1f} GB/s", bytes_per_s / 1e9);
  return fmt::format("{:.0f} MB/s", bytes_per_s / 1e6);
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string progress_line(const std::string& stage, std::uint64_t done_taps,
                          std::uint64_t total_taps, std::uint64_t done_bytes, double elapsed_s) {
  const double seconds = std::max(elapsed_s, 1e-3);
  const std::string speed = rate(static_cast<double>(done_bytes) / seconds);
  if (total_taps == 0) {
    return fmt::format("{}  {} taps  {:.1f} MB  {}", stage, done_taps,
                       static_cast<double>(done_bytes) / 1e6, speed);
  }
  constexpr std::size_t kCells = 20;
  const double share =
      std::min(1.0, static_cast<double>(done_taps) / static_cast<double>(total_taps));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(kCells));
  std::string line = fmt::format("{}  [{}{}] {}/{} taps  {}", stage, std::string(filled, '#'),
                                 std::string(kCells - filled, '.'), done_taps, total_taps, speed);
  if (done_taps > 0 && done_taps < total_taps)
    line += "  ETA " + duration(seconds * (1 - share) / share);
  return line;
}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::begin(const std::string& stage, std::uint64_t total_taps) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  total_taps_ = total_taps;
  done_taps_ = 0;
  done_bytes_ = 0;
  start_ = Clock::now();
  draw(start_);
}

void ProgressBar::tap_done(std::uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  ++done_taps_;
  done_bytes_ += size_bytes;
  const Clock::time_point now = Clock::now();
  if (now - drawn_ >= kRedrawEvery) draw(now);
}

void ProgressBar::end() {
  const std::lock_guard lock(mutex_);
  clear();
}

void ProgressBar::draw(Clock::time_point now) {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "\r\033[K%s",
               progress_line(stage_, done_taps_, total_taps_, done_bytes_, elapsed_s).c_str());
  std::fflush(stderr);
  drawn_ = now;
  visible_ = true;
}

void ProgressBar::clear() {
  if (visible_) std::fprintf(stderr, "\r\033[K");
  visible_ = false;
}

}  // namespace parity::cli

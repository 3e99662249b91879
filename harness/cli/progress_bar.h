// A line on stderr that says how far a run is, how fast, and how long it will take. Shown to a
// terminal only.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "pipeline/record/progress.h"

namespace parity::cli {

/// "compare prose  [#####.....] 45/90 taps  1.2 GB/s  ETA 3 s". Without a total: taps, bytes and
/// rate.
[[nodiscard]] std::string progress_line(const std::string& stage, std::uint64_t done_taps,
                                        std::uint64_t total_taps, std::uint64_t done_bytes,
                                        double elapsed_s);

class ProgressBar final : public pipeline::Progress {
 public:
  ~ProgressBar() override;
  void begin(const std::string& stage, std::uint64_t total_taps) override;
  void tap_done(std::uint64_t size_bytes) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);
  void clear();

  std::mutex mutex_;
  std::string stage_;
  std::uint64_t total_taps_ = 0;
  std::uint64_t done_taps_ = 0;
  std::uint64_t done_bytes_ = 0;
  Clock::time_point start_;
  Clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace parity::cli

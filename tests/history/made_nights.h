// Nights made by hand: one case of a few layers whose figures the test sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/store.h"

namespace parity::history_test {

inline constexpr std::int64_t kFirstNight_s = 1'790'820'000;  // 2026-10-01T02:00:00Z
inline constexpr std::int64_t kDay_s = 86'400;

/// A judged night that passed: `layers` taps of bfloat16, each with nrmse 0.001 and what it
/// introduces 0.0005, logits of the last. The environment has LibTorch 2.9 and two threads.
[[nodiscard]] history::Run quiet_night(int night, int layers = 4);

/// So many of them.
[[nodiscard]] history::Series quiet_series(int nights, int layers = 4);

/// Sets one figure of one tap.
void set_figure(history::Run& run, std::size_t tap, history::Metric metric, double value);

/// A night without a report.
[[nodiscard]] history::Run unjudged_night(int night, history::State state);

/// Numbers between 0 and 1 that are the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] double uniform();
  /// Normal, mean 0, deviation 1.
  [[nodiscard]] double normal();

 private:
  std::uint64_t state_;
};

}  // namespace parity::history_test

// How far apart repeated runs of the same case on the same device were: what no comparison with
// another device may count as that device's. Plain data, in the golden and in reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parity::run {

/// How many times the noise explains. Two runs that both lie within a distance d of the device's
/// mean are at most 2 d apart, and so is the candidate from the recorded run; the third is for the
/// few repeats, whose largest difference is smaller than the largest there is.
inline constexpr double kNoiseMultiple = 3;

/// A figure of the comparison of two runs, by the name that policies and reports give it.
struct NoiseFigure {
  std::string metric;  ///< "nrmse", "ulp.max", "kl.max", ...
  double value = 0;    ///< the worst over all repeats
};

struct TapNoise {
  std::int64_t repeats = 0;          ///< further runs that were held against the recorded one
  std::int64_t differing = 0;        ///< of these, those in which the tap's bits differ
  std::vector<NoiseFigure> figures;  ///< empty where nothing differs, or no values were stored
};

/// A tap that differed in a repeat.
struct NoisyTap {
  std::size_t tap = 0;  ///< place in the case's taps
  std::int64_t differing = 0;
  std::vector<NoiseFigure> figures;
};

struct NoiseRecord {
  std::int64_t repeats = 0;
  std::vector<NoisyTap> taps;  ///< ascending by place; every other tap had the same bits each time
};

/// Of the tap at `place`.
[[nodiscard]] TapNoise noise_of(const NoiseRecord& record, std::size_t place);

}  // namespace parity::run

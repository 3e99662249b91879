// What a golden holds, as text and as JSON.
// Holds no value of a tap: a golden of any size is described in a few lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/recording.h"

namespace parity::report {

/// Figures of one tap's stored values; NaN and Inf are counted and stay out of the rest.
struct TapValues {
  std::uint64_t finite = 0;
  std::uint64_t nan = 0;
  std::uint64_t inf = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double rms = 0;
  std::vector<double> first;  ///< the first few values, row-major
};

struct InspectedTap {
  run::TapRecord record;
  std::uint64_t stored_bytes = 0;
  std::optional<TapValues> values;  ///< only when asked for, and when values are stored
};

/// That a case has a truth, and in what.
struct InspectedTruth {
  std::string dtype;
  std::uint64_t taps = 0;
  std::vector<std::string> notes;
};

/// How often a case was repeated, and the names of the taps that were not the same each time.
struct InspectedNoise {
  std::int64_t repeats = 0;
  std::vector<run::TapId> differing;
};

/// Tokens that a case feeds behind its prompt.
struct InspectedDecode {
  std::int64_t steps = 0;
  std::int64_t rows = 0;
};

struct InspectedCase {
  std::string name;
  std::vector<std::string> inputs;  ///< one line each: "input_ids: int64 1x40"
  std::vector<InspectedTap> taps;
  std::vector<run::SkippedTap> skipped;
  std::vector<std::string> notes;
  std::optional<InspectedNoise> noise;
  std::optional<InspectedTruth> truth;
  std::optional<InspectedDecode> decode = {};
};

struct Inspection {
  std::string file;
  std::uint64_t file_bytes = 0;
  run::RecordingHeader header;
  std::vector<InspectedCase> cases;
};

[[nodiscard]] std::string to_text(const Inspection& inspection);

/// One JSON document with a final newline; non-finite numbers are the strings "nan", "inf", "-inf".
[[nodiscard]] std::string to_json(const Inspection& inspection);

}  // namespace parity::report

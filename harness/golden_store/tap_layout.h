// The index of a case's taps and its list of skipped ones, as columns. The only place that knows
// their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <H5Cpp.h>

#include "run/recording.h"

namespace parity::golden_store {

/// Group of a case that holds its truth; the column there that names the dtype it was run in, and
/// the one, where it was measured, of what the recording is wrong by itself at each tap.
inline constexpr const char* kTruth = "truth";
inline constexpr const char* kTruthDtype = "dtype";
inline constexpr const char* kTruthIntroduced = "introduced_nrmse";

/// Throws Malformed when a tap cannot be held: too many dimensions, or rows that do not fit its
/// shape.
void check_tap(const run::TapRecord& tap);

/// Sets of tap names are kept as text in which no two ids collide.
[[nodiscard]] std::string unique_key(const run::TapId& id);

void write_tap_index(const H5::Group& group, const std::vector<run::TapRecord>& taps);
void write_skipped(const H5::Group& group, const std::vector<run::SkippedTap>& skipped);

/// Read what the above wrote and throw Malformed for everything that no writer of ours would have
/// written.
[[nodiscard]] std::vector<run::TapRecord> read_tap_index(const H5::Group& group,
                                                         const std::string& where,
                                                         std::uint64_t file_bytes);
[[nodiscard]] std::vector<run::SkippedTap> read_skipped(const H5::Group& group,
                                                        const std::string& where,
                                                        std::uint64_t file_bytes);

}  // namespace parity::golden_store

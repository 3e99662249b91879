// What repeated runs of a case showed, as columns. The only place that knows their names.
// Counts and sizes are held against the file before memory is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <H5Cpp.h>

#include "run/noise.h"

namespace parity::golden_store {

/// Group of a case that holds it, where it was recorded.
inline constexpr const char* kNoise = "noise";

/// Throws Malformed for what does not fit a case of `tap_count` taps, as does the reader.
void write_noise(const H5::Group& group, const run::NoiseRecord& noise, std::size_t tap_count);

[[nodiscard]] run::NoiseRecord read_noise(const H5::Group& group, const std::string& where,
                                          std::size_t tap_count, std::uint64_t file_bytes);

}  // namespace parity::golden_store

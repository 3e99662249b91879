// Model description, provenance and notes of a recording, as columns.
// The only place that knows their names; what they mean is run/'s business.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <H5Cpp.h>

#include "run/recording.h"

namespace parity::golden_store {

void write_header(const H5::Group& root, const run::RecordingHeader& header);
void write_notes(const H5::Group& parent, const std::vector<std::string>& notes);

/// Read what the above wrote and throw Malformed for everything that no writer of ours would have
/// written.
[[nodiscard]] run::RecordingHeader read_header(const H5::Group& root, std::uint64_t file_bytes);
[[nodiscard]] std::vector<std::string> read_notes(const H5::Group& parent, const std::string& where,
                                                  std::uint64_t file_bytes);

}  // namespace parity::golden_store

// What machine this is, read from its own files: processor, kernel, distribution. Leaves out what
// cannot be read, and knows nothing of GPUs, which the model's side reports.
#pragma once

#include <filesystem>

#include "run/provenance.h"

namespace parity::host {

/// Facts of group "host.": cpu, cores, kernel, os. A file that is missing under `root` leaves its
/// fact out. `root` is the filesystem root to read /proc and /etc below.
[[nodiscard]] run::Provenance machine_facts(const std::filesystem::path& root = "/");

}  // namespace parity::host

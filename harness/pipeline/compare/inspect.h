// `parity inspect`: golden in, description out. Reads the taps that are asked for and no others,
// and compares nothing.
#pragma once

#include <filesystem>
#include <string>

#include "report/data/inspection.h"

namespace parity::pipeline {

/// `layer`: glob over layer paths and tap names; taps that match are listed alone and with figures
/// of their values. Empty lists all taps without reading them. Throws Error(usage) when it matches
/// no tap.
[[nodiscard]] report::Inspection inspect(const std::filesystem::path& golden,
                                         const std::string& layer);

}  // namespace parity::pipeline

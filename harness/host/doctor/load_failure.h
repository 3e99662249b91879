// Why LibTorch sees no GPU where there is one: the loader's and the runtime's words, explained.
#pragma once

#include <string>

#include "host/doctor/view.h"
#include "run/finding.h"

namespace parity::host {

/// Either may be empty.
struct NoDevice {
  std::string library_problem;  ///< what dlopen said of the device library
  std::string runtime_problem;  ///< what CUDA or HIP said when it was asked for its devices
};

/// Without a GPU in the machine this is fine, unless one is asked for.
void report_no_device(const View& view, const NoDevice& cause, run::Diagnosis& diagnosis);

/// What the loader's message means, and its remedy: a missing library, a symbol of another version,
/// a damaged file.
struct LoaderCause {
  std::string why;
  std::string fix;
};
[[nodiscard]] LoaderCause loader_cause(const std::string& message);

}  // namespace parity::host

// The report as Markdown for a pull request or the summary of a CI job.
// Leads with what to do; text from a model cannot become markup.
#pragma once

#include <cstddef>
#include <string>

#include "report/data/report.h"

namespace parity::report {

/// What GitHub takes as one comment. Counted here in bytes, which are never fewer than characters.
constexpr std::size_t kLongestComment = 65536;

/// The verdict and what leads to its cause first, then the cases and the ten worst taps. Never
/// longer than `most_bytes`: what does not fit is left out, with a sentence.
[[nodiscard]] std::string to_markdown(const Report& report,
                                      std::size_t most_bytes = kLongestComment);

}  // namespace parity::report

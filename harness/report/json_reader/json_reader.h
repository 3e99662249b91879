// A report back from its JSON, schema "parity-report/1": what to_json() wrote, and nothing that it
// could not have written.
#pragma once

#include <string>
#include <string_view>

#include "report/data/report.h"

namespace parity::report {

/// Of the text of a document that messages call `file`. to_json() of it is the text again, byte for
/// byte. Keys that are not known are passed over; tokens at the ends of sequences are in no JSON.
/// Throws Error(usage), naming file and key, on text that is no JSON, no such report, altered so
/// that its counts do not add up, or made by a version that did not write all that is needed here.
[[nodiscard]] Report read_json(std::string_view text, const std::string& file);

}  // namespace parity::report

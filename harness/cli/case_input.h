// What --inputs takes: `[NAME=]SPEC`. Knows where a name ends and which names a case can have; what
// SPEC means is the model's readers' business.
#pragma once

#include <string>

#include "pipeline/record/record.h"

namespace parity::cli {

/// Without a name, a file's stem or the generator's own text is the name. A file whose name has a
/// `=` is a file. Throws Error(usage) for a name that is empty, longer than 200 bytes, has a '/',
/// which reads as a path, or anything that a terminal would obey.
[[nodiscard]] pipeline::CaseInput case_input_of(const std::string& text);

}  // namespace parity::cli

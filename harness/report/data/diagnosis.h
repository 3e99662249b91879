// What a look at the machine found, as text and as JSON.
#pragma once

#include <string>

#include "report/terminal/table.h"
#include "run/finding.h"

namespace parity::report {

/// The verdict first, then every finding: problems and warnings with why and what to do, the rest
/// as one line each. `options.show`: failing leaves out what is fine, summary all but the first
/// line.
[[nodiscard]] std::string to_text(const run::Diagnosis& diagnosis, const TableOptions& options);

/// One JSON document with a final newline: schema parity-doctor/1, see docs/doctor.md.
[[nodiscard]] std::string to_json(const run::Diagnosis& diagnosis);

/// 0 when nothing stops a run, 3 otherwise.
[[nodiscard]] int exit_code_of(const run::Diagnosis& diagnosis);

}  // namespace parity::report

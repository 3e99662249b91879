// From the forced replay's comparison to the report: what each tap introduces, and who is to blame.
#pragma once

#include <filesystem>
#include <optional>

#include "golden_store/golden_reader.h"
#include "model/model.h"
#include "report/report.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Joins one case of the forced replay with the same case of the free-running one, tap by tap, and
/// hands on what the forced pass had to say.
void add_introduced(const report::Case& forced, report::Case& free_running);

/// Ranks the taps of all cases by what they introduce.
[[nodiscard]] report::Attribution attribution_of(const report::Report& report);

/// Where a reproducer goes, if anywhere.
using ReproducerFolder = std::optional<std::filesystem::path>;

/// A third pass, into the tap that is most to blame: which operators ran there since the tap before
/// it, and from which lines. Writes the reproducer of those where a folder is given. Does nothing
/// when no tap is to blame, but says so in the notes when a reproducer was wanted.
void find_operators(model::Model& model, const golden_store::GoldenReader& golden,
                    const run::Settings& settings, const ReproducerFolder& folder,
                    report::Report& report);

}  // namespace parity::pipeline

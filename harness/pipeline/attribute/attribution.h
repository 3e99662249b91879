// From the forced replay's comparison to the report: what each tap introduces, and who is to blame.
// Runs no forced pass itself (see forced_run.h) and ranks nothing itself (see gate/attribution.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "name_map/name_map.h"

#include "golden_store/golden_reader.h"
#include "model/model.h"
#include "pipeline/attribute/forced_run.h"
#include "report/data/report.h"
#include "run/settings.h"

namespace parity::pipeline {

/// Joins one case of the forced replay with the same case of the free-running one, tap by tap, and
/// hands on what the forced pass had to say.
void add_introduced(const report::Case& forced, report::Case& free_running);

/// Ranks the taps of all cases by what they introduce.
[[nodiscard]] report::Attribution attribution_of(const report::Report& report);

/// How the candidate runs, and where a reproducer goes, if anywhere.
struct OperatorSearch {
  const run::Settings& settings;
  const std::vector<std::filesystem::path>& libraries;
  const std::optional<std::filesystem::path>& folder;
  /// By case, the golden's taps in the order in which the candidate came to them.
  const std::vector<std::vector<ForcedPlace>>& places;
  const name_map::NameMap* map = nullptr;  ///< nullptr: both sides call their taps the same
};

/// A third pass, into the tap that is most to blame: which operators ran there since the tap before
/// it, from which lines, and which of them computes something else than it should. Writes the
/// reproducer of those where a folder is given. Does nothing when no tap is to blame, but says so
/// in the notes when a reproducer was wanted; what failed about that is in `reproducer_failure`.
void find_operators(model::Model& model, const golden_store::GoldenReader& golden,
                    const OperatorSearch& search, report::Report& report);

}  // namespace parity::pipeline

// `parity compare`: a golden against a replay on this host, or against another golden. Knows no
// flag and no format: a request in, a judged report out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "name_map/name_map.h"

#include "gate/rule_book.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "model/model.h"
#include "pipeline/compare/weights_check.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/progress.h"
#include "report/data/report.h"
#include "run/probe.h"
#include "run/settings.h"
#include "run/verdict.h"

namespace parity::pipeline {

/// What both ways of comparing have in common.
struct CompareRequest {
  std::filesystem::path golden;
  ReplayOverrides overrides;
  std::optional<std::filesystem::path> truth;  ///< golden to take the truth from; nullopt: `golden`
  std::optional<name_map::NameMap> map;        ///< of the candidate's names; nullopt: as they are
  WeightsRule weights = WeightsRule::same;
  gate::RuleBook policy = gate::default_rules();
  run::Strictness strictness = run::Strictness::normal;
  int worst_count = 10;  ///< worst elements kept per tap
  std::string command;   ///< as typed, for the report
};

/// Whether a second, forced pass measures what each layer introduces itself.
enum class AttributionPass : std::uint8_t { none, forced };

/// Whether a forced pass is followed by a third one, into the layer that is most to blame.
enum class OperatorPass : std::uint8_t { none, into_the_blamed };

struct ReplayRequest {
  CompareRequest compare;
  AttributionPass attribution = AttributionPass::none;
  OperatorPass operators = OperatorPass::into_the_blamed;
  std::optional<std::filesystem::path> reproducer;  ///< folder for the blamed operators alone
  model::Source source;
  run::Settings settings;                     ///< `dtype` nullopt: the golden's
  run::Probing probing = run::Probing::off;   ///< of the device's arithmetic, after the last case
  std::optional<std::filesystem::path> save;  ///< write the candidate's run as a golden too
};

/// A method is replayed like the dtype: the golden's, unless `source` has another.
[[nodiscard]] model::Source replay_source(model::Source source,
                                          const golden_store::GoldenReader& golden);

/// Runs the golden's cases on this host and compares tap by tap as they come; one tap of the golden
/// and of the truth is in memory; in a forced pass, the golden's of all taps in the capture's ring.
[[nodiscard]] report::Report compare_replay(const ReplayRequest& request, Progress& progress);

/// The same with a model that is open and a writer for --save (nullptr: none).
[[nodiscard]] report::Report replay_cases(model::Model& model,
                                          const golden_store::GoldenReader& golden,
                                          golden_store::GoldenWriter* save,
                                          const ReplayRequest& request, Progress& progress);

/// Compares two goldens; no model is run.
[[nodiscard]] report::Report compare_recordings(const CompareRequest& request,
                                                const std::filesystem::path& candidate,
                                                Progress& progress);

}  // namespace parity::pipeline

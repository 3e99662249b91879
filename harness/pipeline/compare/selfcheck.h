// `parity selfcheck`: does a device agree with itself? The same model and inputs again, without
// taps, and row by row, on one device and without a golden of another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/rule_book.h"
#include "model/model.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/case_inputs.h"
#include "pipeline/record/progress.h"
#include "report/data/report.h"
#include "run/settings.h"
#include "run/verdict.h"

namespace parity::pipeline {

struct SelfcheckRequest {
  model::Source source;
  run::Settings settings;
  std::vector<CaseInput> cases;  ///< at least one, names unique
  TapChoice taps;
  std::int64_t repeats = 2;  ///< further runs of each case
  std::int64_t rows = 4;     ///< of the batch that is made of inputs with one row, at
                             ///< least 2; 0: no row is run alone
  gate::RuleBook policy = gate::default_rules();
  run::Strictness strictness = run::Strictness::normal;
  int worst_count = 10;  ///< elements kept per tap
  std::string command;   ///< for the report
};

/// Loads inputs and model, then see selfcheck_model.
[[nodiscard]] report::Report selfcheck(const SelfcheckRequest& request, Progress& progress);

/// Every input gives these cases of the report, against one recorded run of it:
///
///     NAME, run 2 ...        the same again: other bits are `suspect` at best
///     NAME, without taps     the outputs of a run that nobody watches: likewise
///     NAME, row I of B alone a row of the batch by itself, under the usual bounds: another batch
///                            size may choose other kernels
///
/// Inputs of one row are repeated to a batch of `rows` for the last; a model that cannot run that
/// batch, or inputs without any, are named in the notes. The recorded run is kept in a temporary
/// golden, so that memory holds one tap.
[[nodiscard]] report::Report selfcheck_model(model::Model& model, EarlyInputs inputs,
                                             const SelfcheckRequest& request, Progress& progress);

}  // namespace parity::pipeline

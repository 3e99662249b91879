// The forced replay: a run in which every tap, once captured, is replaced by the recorded value, so
// that what is left of the difference at a tap is what its layer adds itself.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "name_map/name_map.h"

#include "capture/capture_stream.h"
#include "model/model.h"
#include "model/operator_trace.h"
#include "pipeline/compare/reference_taps.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Why no run can be forced with the golden's values: "a.h5 holds only rows of X: record it with
/// --store full."; empty where it holds every tap of every case in full.
[[nodiscard]] std::string why_not_forced(const golden_store::GoldenReader& golden);

/// Throws Error(usage) where one cannot.
void require_full_taps(const golden_store::GoldenReader& golden);

/// A tap of the golden that the model came to.
struct ForcedPlace {
  std::size_t place = 0;  ///< in the golden
  run::TapId own;         ///< what the model calls it, or a part of it, or what it is a part of
};

struct ForcedRun {
  std::vector<std::string> remarks;  ///< one per tap that could not be forced
  std::vector<ForcedPlace> places;   ///< in the order of the run
};

/// How the model's names become the golden's, and which of the latter are compared.
struct ForcedNames {
  const name_map::NameMap* map = nullptr;  ///< nullptr: both call them the same
  capture::TapFilter compared{{}, {}};     ///< by the golden's names; of use with a map alone
};

/// Runs one case that way and returns when every tap is consumed. Taps that `filter` does not keep
/// are forced as well.
[[nodiscard]] ForcedRun run_forced(model::Model& model, const tensor::Value& inputs,
                                   capture::TapFilter& filter, capture::TapConsumer& consumer,
                                   TapValues& reference, ForcedNames names = {});

/// The operators between one tap and another of such a run.
[[nodiscard]] std::unique_ptr<model::OperatorTrace> trace_forced(model::Model& model,
                                                                 const tensor::Value& inputs,
                                                                 const model::Segment& segment,
                                                                 TapValues& reference,
                                                                 const name_map::NameMap* map);

}  // namespace parity::pipeline

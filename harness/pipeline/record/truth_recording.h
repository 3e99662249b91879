// The second part of `parity record --truth`: every recorded case once more in higher precision,
// into the same golden. What the recording itself holds, it reads and does not change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden_store/golden_writer.h"
#include "model/model.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/progress.h"
#include "run/settings.h"
#include "tensor/value.h"

namespace parity::pipeline {

enum class TruthDevice : std::uint8_t { cpu, same };

/// What a person asked for.
struct TruthChoice {
  std::optional<tensor::DType> dtype;  ///< nullopt: no truth
  TruthDevice device = TruthDevice::cpu;
};

/// Opens the recorded model again with other settings.
using OpenModel = std::function<std::unique_ptr<model::Model>(const run::Settings&)>;

/// What a truth is run with: the recording's settings, from the weights that ran, in higher
/// precision, by the plainest kernels.
[[nodiscard]] run::Settings truth_settings(const run::Settings& recorded, const TruthChoice& choice,
                                           tensor::DType dtype);

/// The dtype that a model is recorded in: what was asked for, else the most precise of its weights.
[[nodiscard]] tensor::DType dtype_of_run(const run::Settings& settings,
                                         const run::ModelDescription& model);

/// Throws Error(usage) where `truth` is no more precise than `recorded`.
void refuse_useless_truth(tensor::DType truth, tensor::DType recorded);

/// A case as it was recorded.
struct TruthCase {
  std::string name;
  const tensor::Value& inputs;
};

/// What all cases have in common.
struct TruthRequest {
  TruthChoice choice;
  run::Settings settings;                           ///< of the recording
  tensor::DType recorded = tensor::DType::float32;  ///< see dtype_of_run
  std::vector<std::string> layers;                  ///< globs, as recorded
  std::vector<std::string> skip;
  StoreChoice store;
};

/// Writes the truth of every case, which `writer` has ended in this order. Where the model does not
/// run in float64, float32 is taken if that is more precise than the recording. Returns what a
/// person should know. Throws Error(model) when the model runs in nothing more precise.
[[nodiscard]] std::vector<std::string> record_truth(const OpenModel& open,
                                                    golden_store::GoldenWriter& writer,
                                                    const TruthRequest& request,
                                                    const std::vector<TruthCase>& cases,
                                                    Progress& progress);

}  // namespace parity::pipeline

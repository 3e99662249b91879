// `record --repeat`: the case that is being recorded runs again, and each tap is held against the
// recorded run, so that a comparison knows how far the reference is from itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/tap_filter.h"
#include "golden_store/golden_writer.h"
#include "model/model.h"
#include "pipeline/record/progress.h"
#include "run/noise.h"
#include "tensor/value.h"

namespace parity::pipeline {

struct RepeatedCase {
  run::NoiseRecord noise;
  std::vector<std::string> notes;  ///< taps that did not come in every run
};

/// Runs the writer's open case, number `case_index`, `repeats` (at least 1) times more. Values are
/// read back from the file where bits differ, so that memory stays that of one tap.
[[nodiscard]] RepeatedCase repeat_case(model::Model& model, const tensor::Value& inputs,
                                       capture::TapFilter& filter,
                                       golden_store::GoldenWriter& writer, std::size_t case_index,
                                       std::int64_t repeats, Progress& progress);

/// See gate::summarize_noise; empty when every tap is the same each time.
[[nodiscard]] std::string noise_remark(const std::string& case_name, const run::NoiseRecord& noise,
                                       const std::vector<run::TapRecord>& taps);

}  // namespace parity::pipeline

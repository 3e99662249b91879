// One run of a model with its taps streamed to a consumer. Knows neither what the consumer does
// with them nor where the inputs came from.
#pragma once

#include <vector>

#include "capture/capture_stream.h"
#include "model/model.h"
#include "run/recording.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Runs one case and returns when every tap is consumed. A failure of the consumer comes before the
/// failure of the run that it stopped.
[[nodiscard]] std::vector<run::SkippedTap> run_tapped(model::Model& model,
                                                      const tensor::Value& inputs,
                                                      model::Instrumentation instrumentation,
                                                      capture::TapFilter& filter,
                                                      capture::TapConsumer& consumer);

}  // namespace parity::pipeline

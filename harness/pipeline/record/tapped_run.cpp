#include "pipeline/record/tapped_run.h"

#include "error/error.h"
#include "run/timeline.h"

namespace parity::pipeline {

std::vector<run::SkippedTap> run_tapped(model::Model& model, const tensor::Value& inputs,
                                        model::Instrumentation instrumentation,
                                        capture::TapFilter& filter,
                                        capture::TapConsumer& consumer) {
  capture::CaptureStream stream(model.host_allocator(), filter, consumer, {});
  try {
    const run::WorkSpan span("forward");
    model.run(inputs, instrumentation, stream);
  } catch (const Error&) {
    stream.rethrow_failure();
    throw;
  }
  const run::WorkSpan span("wait for the last taps");
  stream.finish();
  return stream.skipped();
}

}  // namespace parity::pipeline

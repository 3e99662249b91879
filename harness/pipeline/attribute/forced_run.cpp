#include "pipeline/attribute/forced_run.h"

#include <optional>
#include <utility>

#include "error/error.h"
#include "pipeline/compare/tap_places.h"

namespace parity::pipeline {
namespace {

/// Between the model and the stream: hands taps on and answers with the golden's values.
class ForcingSink final : public run::TapSink {
 public:
  /// `filter` says which taps the stream compares; nullptr: none.
  ForcingSink(run::TapSink& stream, capture::TapFilter* filter, TapValues& reference)
      : stream_(stream),
        filter_(filter),
        reference_(reference),
        places_(places_of(reference.taps())) {}

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    current_.reset();
    // Before the stream has the tap: its consumer may ask for the reference at once.
    if (const auto found = places_.find(id); found != places_.end()) {
      run_.places.push_back(found->second);
      const bool consumed = filter_ != nullptr && filter_->keeps(id);
      current_ = consumed ? reference_.read_ahead(found->second) : reference_.take(found->second);
    }
    stream_.on_tap(id, value);
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    stream_.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    // Nothing comes behind the model's own output.
    if (!current_ || id.kind == run::TapKind::output) return std::nullopt;
    return current_->view();
  }
  void on_not_forced(const run::TapId& id, const std::string& reason) override {
    run_.remarks.push_back(run::to_string(id) +
                           " kept its own value in the forced pass: " + reason);
  }

  [[nodiscard]] ForcedRun take_run() { return std::move(run_); }

 private:
  run::TapSink& stream_;
  capture::TapFilter* filter_;
  TapValues& reference_;
  const TapPlaces places_;
  std::optional<tensor::HostTensor> current_;
  ForcedRun run_;
};

}  // namespace

std::unique_ptr<model::OperatorTrace> trace_forced(model::Model& model, const tensor::Value& inputs,
                                                   const model::Segment& segment,
                                                   TapValues& reference) {
  run::IgnoredTaps nobody;
  ForcingSink sink(nobody, nullptr, reference);
  return model::trace_operators(model, inputs, segment, sink);
}

std::string why_not_forced(const golden_store::GoldenReader& golden) {
  for (const run::CaseRecord& record : golden.cases()) {
    for (const run::TapRecord& tap : record.taps) {
      if (tap.mode == run::StoreMode::full) continue;
      return golden.path().string() + " holds " +
             (tap.mode == run::StoreMode::rows ? "only rows of " : "only a digest of ") +
             run::to_string(tap.id) + ": record it with --store full.";
    }
  }
  return {};
}

void require_full_taps(const golden_store::GoldenReader& golden) {
  const std::string why = why_not_forced(golden);
  if (why.empty()) return;
  throw Error(ErrorKind::usage,
              "--attribute feeds every layer the golden's own values, and " + why);
}

ForcedRun run_forced(model::Model& model, const tensor::Value& inputs, capture::TapFilter& filter,
                     capture::TapConsumer& consumer, TapValues& reference) {
  capture::CaptureStream stream(model.host_allocator(), filter, consumer, {});
  ForcingSink sink(stream, &filter, reference);
  try {
    model.run(inputs, model::Instrumentation::taps, sink);
  } catch (const Error&) {
    stream.rethrow_failure();
    throw;
  }
  stream.finish();
  return sink.take_run();
}

}  // namespace parity::pipeline

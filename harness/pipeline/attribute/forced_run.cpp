#include "pipeline/attribute/forced_run.h"

#include <optional>
#include <utility>

#include "error/error.h"
#include "pipeline/attribute/forced_values.h"

namespace parity::pipeline {
namespace {

/// Between the model and the stream: hands taps on and answers with the golden's values.
class ForcingSink final : public run::TapSink {
 public:
  /// `filter` says which taps the stream compares; nullptr: none.
  ForcingSink(run::TapSink& stream, capture::TapFilter* filter, TapValues& reference,
              const name_map::NameMap* map)
      : stream_(stream), filter_(filter), values_(reference, map) {}

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    // Before the stream has the tap: its consumer may ask for the reference at once.
    current_ = values_.of(id, value.shape(), filter_);
    for (const std::size_t place : current_.places) run_.places.push_back({place, id});
    if (!current_.problem.empty()) on_not_forced(id, current_.problem);
    stream_.on_tap(id, value);
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    stream_.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    // Nothing comes behind the model's own output.
    if (!current_.value || id.kind == run::TapKind::output) return std::nullopt;
    return current_.value->view();
  }
  void on_not_forced(const run::TapId& id, const std::string& reason) override {
    run_.remarks.push_back(run::to_string(id) +
                           " kept its own value in the forced pass: " + reason);
  }

  [[nodiscard]] ForcedRun take_run() { return std::move(run_); }

 private:
  run::TapSink& stream_;
  capture::TapFilter* filter_;
  ForcedValues values_;
  ForcedValue current_;
  ForcedRun run_;
};

}  // namespace

std::unique_ptr<model::OperatorTrace> trace_forced(model::Model& model, const tensor::Value& inputs,
                                                   const model::Segment& segment,
                                                   TapValues& reference,
                                                   const name_map::NameMap* map) {
  run::IgnoredTaps nobody;
  ForcingSink sink(nobody, nullptr, reference, map);
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
                     capture::TapConsumer& consumer, TapValues& reference, ForcedNames names) {
  capture::CaptureStream stream(model.host_allocator(), filter, consumer, {});
  ForcingSink sink(stream, names.map == nullptr ? &filter : &names.compared, reference, names.map);
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

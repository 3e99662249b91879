#include "pipeline/attribute/own_error.h"

#include <limits>

#include "compare/distance.h"
#include "pipeline/attribute/forced_run.h"
#include "pipeline/compare/tap_places.h"
#include "pipeline/compare/tap_truth.h"

namespace parity::pipeline {
namespace {

class OwnErrorSink final : public capture::TapConsumer {
 public:
  OwnErrorSink(TapValues& recorded, const std::vector<run::TapRecord>& truth)
      : recorded_(recorded),
        recorded_places_(places_of(recorded.taps())),
        truth_places_(places_of(truth)),
        errors_(truth.size(), std::numeric_limits<double>::quiet_NaN()) {}

  void consume(const capture::CapturedTap& captured) override {
    const auto recorded = recorded_places_.find(captured.id);
    const auto place = truth_places_.find(captured.id);
    if (recorded == recorded_places_.end()) return;
    const tensor::HostTensor value = recorded_.take(recorded->second);
    if (place == truth_places_.end() || value.shape() != captured.value.shape ||
        !is_more_precise(captured.value.dtype, value.dtype())) {
      return;
    }
    const compare::Distance distance = compare::distance_to(captured.value, value.view());
    if (distance.one_sided == 0) errors_[place->second] = distance.nrmse;
  }
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& /*id*/) const override {
    return capture::DigestWish::none;
  }

  [[nodiscard]] const std::vector<double>& errors() const { return errors_; }

 private:
  TapValues& recorded_;
  TapPlaces recorded_places_;
  TapPlaces truth_places_;
  std::vector<double> errors_;  // by place in the truth
};

}  // namespace

OwnErrors own_errors(model::Model& model, const tensor::Value& inputs, capture::TapFilter& filter,
                     TapValues& recorded, const std::vector<run::TapRecord>& truth) {
  OwnErrorSink sink(recorded, truth);
  const ForcedRun run = run_forced(model, inputs, filter, sink, recorded);
  if (!run.remarks.empty()) return {{}, run.remarks.front()};
  return {sink.errors(), ""};
}

}  // namespace parity::pipeline

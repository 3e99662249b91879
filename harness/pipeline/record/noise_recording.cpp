#include "pipeline/record/noise_recording.h"

#include <cmath>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "gate/metrics.h"
#include "gate/noise.h"
#include "pipeline/compare/inherited_dtypes.h"
#include "pipeline/compare/tap_comparison.h"
#include "pipeline/compare/tap_places.h"
#include "pipeline/record/tapped_run.h"

namespace parity::pipeline {
namespace {

/// The worst of each metric over several comparisons.
class WorstFigures {
 public:
  template <typename Facts>
  void add(std::span<const gate::Metric<Facts>> metrics, const Facts& facts) {
    for (const gate::Metric<Facts>& metric : metrics) add(metric, metric.value(facts));
  }
  [[nodiscard]] std::vector<run::NoiseFigure> figures() const {
    std::vector<run::NoiseFigure> figures;
    for (const auto& [metric, value] : worst_) figures.push_back({metric, value});
    return figures;
  }

 private:
  template <typename Facts>
  void add(const gate::Metric<Facts>& metric, double value) {
    if (std::isnan(value)) return;
    const auto [entry, is_new] = worst_.emplace(metric.name, value);
    if (is_new) return;
    entry->second = gate::worse_of(entry->second, value, metric.direction);
  }

  std::map<std::string, double> worst_;
};

struct Spread {
  std::int64_t differing = 0;
  WorstFigures worst;
};

/// Holds every tap of a repeat against the recorded run.
class RepeatSink final : public capture::TapConsumer {
 public:
  RepeatSink(golden_store::GoldenWriter& writer, std::size_t case_index, Progress& progress)
      : writer_(writer),
        case_index_(case_index),
        progress_(progress),
        inherited_(inherited_dtypes(writer.taps(case_index))),
        places_(places_of(writer.taps(case_index))) {}

  void consume(const capture::CapturedTap& captured) override {
    const auto found = places_.find(captured.id);
    if (found == places_.end()) {
      ++strangers_[captured.id];
      return;
    }
    ++seen_[found->second];
    hold_against_recorded(found->second, captured);
    progress_.tap_done(captured.size_bytes);
  }
  [[nodiscard]] capture::DigestWish digest_wish(const run::TapId& id) const override {
    const auto found = places_.find(id);
    const bool alone = found != places_.end() &&
                       writer_.taps(case_index_)[found->second].mode == run::StoreMode::digest;
    return alone ? capture::DigestWish::alone : capture::DigestWish::wanted;
  }

  [[nodiscard]] RepeatedCase result(std::int64_t repeats) const;

 private:
  void hold_against_recorded(std::size_t place, const capture::CapturedTap& captured);

  golden_store::GoldenWriter& writer_;
  const std::size_t case_index_;
  Progress& progress_;
  const std::vector<std::optional<tensor::DType>> inherited_;  // by place
  const TapPlaces places_;
  std::map<std::size_t, std::int64_t> seen_;
  std::map<run::TapId, std::int64_t> strangers_;
  std::map<std::size_t, Spread> spreads_;
  const CompareChoice choice_{0, compare_threads()};
};

void RepeatSink::hold_against_recorded(std::size_t place, const capture::CapturedTap& captured) {
  const run::TapRecord& recorded = writer_.taps(case_index_)[place];
  run::TapRecord repeated = recorded;
  repeated.dtype = captured.value.dtype;
  repeated.shape = captured.value.shape;
  repeated.digest = captured.digest.value();
  const bool same = repeated.dtype == recorded.dtype && repeated.shape == recorded.shape &&
                    repeated.digest == recorded.digest;
  if (same) return;
  Spread& spread = spreads_[place];
  ++spread.differing;
  if (recorded.mode == run::StoreMode::digest) return;
  repeated.mode = run::StoreMode::full;
  repeated.rows.clear();
  const tensor::HostTensor stored = writer_.read_back(case_index_, place);
  const ComparedTap compared =
      compare_tap(compare::Reference{TapData{recorded, stored.view(), inherited_[place]}},
                  compare::Candidate{TapData{repeated, captured.value}}, choice_);
  if (compared.tap.facts) spread.worst.add(gate::tensor_metrics(), *compared.tap.facts);
  if (compared.logits) spread.worst.add(gate::logits_metrics(), compared.logits->facts);
}

RepeatedCase RepeatSink::result(std::int64_t repeats) const {
  RepeatedCase result;
  result.noise.repeats = repeats;
  for (const auto& [place, spread] : spreads_)
    result.noise.taps.push_back({place, spread.differing, spread.worst.figures()});
  const auto note = [&](const run::TapId& id, std::int64_t count, std::string_view recorded) {
    result.notes.push_back(fmt::format(
        "{} {} and came in {} of {} repeats: the model does not take the same path every time",
        run::to_string(id), recorded, count, repeats));
  };
  const std::vector<run::TapRecord>& taps = writer_.taps(case_index_);
  for (std::size_t place = 0; place < taps.size(); ++place) {
    const auto seen = seen_.find(place);
    const std::int64_t count = seen == seen_.end() ? 0 : seen->second;
    if (count != repeats) note(taps[place].id, count, "was recorded");
  }
  for (const auto& [id, count] : strangers_) note(id, count, "was not recorded");
  return result;
}

}  // namespace

RepeatedCase repeat_case(model::Model& model, const tensor::Value& inputs,
                         capture::TapFilter& filter, golden_store::GoldenWriter& writer,
                         std::size_t case_index, std::int64_t repeats, Progress& progress) {
  RepeatSink sink(writer, case_index, progress);
  // What could not be captured was named when the case itself was recorded.
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat)
    (void)run_tapped(model, inputs, model::Instrumentation::taps, filter, sink);
  return sink.result(repeats);
}

std::string noise_remark(const std::string& case_name, const run::NoiseRecord& noise,
                         const std::vector<run::TapRecord>& taps) {
  std::vector<run::TapNoise> by_place;
  for (std::size_t place = 0; place < taps.size(); ++place)
    by_place.push_back(run::noise_of(noise, place));
  std::vector<gate::NoiseEntry> entries;
  for (std::size_t place = 0; place < taps.size(); ++place)
    entries.push_back({case_name, taps[place].id, by_place[place]});
  return gate::summarize_noise(entries).sentence;
}

}  // namespace parity::pipeline

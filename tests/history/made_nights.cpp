#include "history/made_nights.h"

#include <cmath>
#include <numbers>

namespace parity::history_test {

using history::Metric;

namespace {

history::PlaceResult tap(int layer) {
  history::PlaceResult result;
  result.place = {"prose", "layers." + std::to_string(layer)};
  result.kind = "module";
  result.dtype = "bfloat16";
  result.verdict = run::Verdict::within;
  result.figures.set(Metric::nrmse, 0.001);
  result.figures.set(Metric::introduced_nrmse, 0.0005);
  result.figures.set(Metric::ulp_p99, 4);
  return result;
}

history::PlaceResult logits() {
  history::PlaceResult result;
  result.place = {"prose", "<output>"};
  result.kind = "logits";
  result.verdict = run::Verdict::within;
  result.figures.set(Metric::kl_mean, 1e-5);
  result.figures.set(Metric::kl_max, 1e-4);
  result.figures.set(Metric::flips, 0);
  result.figures.set(Metric::decided_flips, 0);
  return result;
}

}  // namespace

history::Run quiet_night(int night, int layers) {
  history::Run run;
  run.series = "main";
  run.time_s = kFirstNight_s + night * kDay_s;
  run.state = history::State::judged;
  run.digest = "night " + std::to_string(night);
  run.exit_code = 0;
  run.gate = history::Gate::passed;
  run.model = "model.pt";
  run.policy = "default";
  run.reference.set("device.name", "H200");
  run.candidate.set("device.name", "MI300X");
  run.candidate.set("device.type", "cuda");
  run.candidate.set("library.torch", "2.9.1");
  run.candidate.set("switch.threads", "2");
  run.candidate.set("run.started", "every night another");
  run.cases = {{"prose", history::Gate::passed}};
  for (int layer = 0; layer < layers; ++layer) run.taps.push_back(tap(layer));
  run.logits = {logits()};
  return run;
}

history::Series quiet_series(int nights, int layers) {
  history::Series series;
  series.name = "main";
  for (int night = 0; night < nights; ++night) series.runs.push_back(quiet_night(night, layers));
  return series;
}

void set_figure(history::Run& run, std::size_t tap, Metric metric, double value) {
  run.taps.at(tap).figures.set(metric, value);
}

history::Run unjudged_night(int night, history::State state) {
  history::Run run;
  run.series = "main";
  run.time_s = kFirstNight_s + night * kDay_s;
  run.state = state;
  run.digest = "night " + std::to_string(night);
  run.exit_code = 3;
  run.reason = "no GPU";
  return run;
}

double Random::uniform() {
  // splitmix64, public domain arithmetic.
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace parity::history_test

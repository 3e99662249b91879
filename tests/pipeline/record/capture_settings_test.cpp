#include "pipeline/record/capture_settings.h"

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::pipeline {
namespace {

run::Provenance recorded_with(const run::Settings& settings, const TapChoice& taps) {
  run::Provenance provenance;
  record_capture(provenance, settings, taps);
  return provenance;
}

TEST(CaptureSettings, AReplayTakesOverWhatTheGoldenWasCapturedWith) {
  run::Settings recorded;
  recorded.dtype = tensor::DType::bfloat16;
  recorded.taps = run::TapDepth::ops;
  recorded.seed = 18446744073709551615ULL;
  const TapChoice taps{{"layers.**", "head"}, {"**.dropout"}};
  const run::Provenance golden = recorded_with(recorded, taps);

  const run::Settings replay = replay_settings({}, {}, golden);
  EXPECT_EQ(replay.dtype, tensor::DType::bfloat16);
  EXPECT_EQ(replay.taps, run::TapDepth::ops);
  EXPECT_EQ(replay.seed, 18446744073709551615ULL);
  EXPECT_EQ(replay_taps({}, golden).layers, taps.layers);
  EXPECT_EQ(replay_taps({}, golden).skip, taps.skip);
}

TEST(CaptureSettings, WhatAPersonTypesComesFirst) {
  run::Settings recorded;
  recorded.dtype = tensor::DType::bfloat16;
  const run::Provenance golden = recorded_with(recorded, {{"a"}, {"b"}});
  ReplayOverrides overrides;
  overrides.taps = run::TapDepth::ops;
  overrides.layers = std::vector<std::string>{"c"};
  overrides.skip = std::vector<std::string>{};
  overrides.seed = 7;
  overrides.dtype = DtypeSource::settings;
  run::Settings typed;
  typed.dtype = tensor::DType::float32;
  const run::Settings replay = replay_settings(typed, overrides, golden);
  EXPECT_EQ(replay.dtype, tensor::DType::float32);
  EXPECT_EQ(replay.taps, run::TapDepth::ops);
  EXPECT_EQ(replay.seed, 7U);
  EXPECT_EQ(replay_taps(overrides, golden).layers, std::vector<std::string>{"c"});
  EXPECT_TRUE(replay_taps(overrides, golden).skip.empty());
}

TEST(CaptureSettings, KeepCanBeTypedToo) {
  run::Settings recorded;
  recorded.dtype = tensor::DType::bfloat16;
  ReplayOverrides overrides;
  overrides.dtype = DtypeSource::settings;
  EXPECT_FALSE(replay_settings({}, overrides, recorded_with(recorded, {})).dtype.has_value());
}

TEST(CaptureSettings, AGoldenThatKeptTheFilesDtypeReplaysWithTheFilesDtype) {
  EXPECT_FALSE(replay_settings({}, {}, recorded_with({}, {})).dtype.has_value());
}

TEST(CaptureSettings, RefusesFactsThatNoVersionWrites) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"switch.dtype", "float12"},
                                                        {"capture.taps", "most"},
                                                        {"capture.seed", "12x"},
                                                        {"capture.seed", "-1"}}) {
    run::Provenance golden = recorded_with({}, {});
    golden.set(key, value);
    EXPECT_THROW((void)replay_settings({}, {}, golden), Error) << key << "=" << value;
  }
}

TEST(CaptureSettings, RefusesAGlobThatMatchedNothing) {
  EXPECT_NO_THROW(refuse_unmatched_globs({}));
  EXPECT_THROW(refuse_unmatched_globs({"laeyrs.*"}), Error);
}

}  // namespace
}  // namespace parity::pipeline

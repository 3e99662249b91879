// `parity record`: model and inputs in, golden out. Knows no flag, and compares with nothing but
// its own repeats and its own truth.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "pipeline/record/capture_settings.h"
#include "pipeline/record/case_inputs.h"
#include "pipeline/record/golden_sink.h"
#include "pipeline/record/progress.h"
#include "pipeline/record/truth_recording.h"
#include "pipeline/shard/shard_choice.h"
#include "run/probe.h"
#include "run/settings.h"

namespace parity::pipeline {

struct RecordRequest {
  model::Source source;
  run::Settings settings;
  std::vector<CaseInput> cases;  ///< at least one, names unique
  TapChoice taps;
  StoreChoice store;
  TruthChoice truth;
  std::int64_t repeats = 0;       ///< further runs of each case, for its run-to-run noise
  std::int64_t decode_steps = 0;  ///< greedy tokens behind every case's inputs; 0: none
  run::Probing probing = run::Probing::off;     ///< of the device's arithmetic, after the last case
  std::optional<run::Compression> compression;  ///< nullopt: plain
  std::optional<ShardChoice> shard;             ///< record these cases alone; nullopt: all
  std::filesystem::path out;                    ///< of the shard, where it is one
};

struct RecordSummary {
  std::uint64_t cases = 0;
  std::uint64_t taps = 0;
  std::uint64_t size_bytes = 0;  ///< of all taps, stored or not
  std::uint64_t file_bytes = 0;
  std::uint64_t noisy_taps = 0;    ///< that were not the same in every run
  double forward_s = 0;            ///< of all tapped runs, their capture included
  std::vector<std::string> notes;  ///< what a person should know
};

/// Loads the model, then see record_cases.
[[nodiscard]] RecordSummary record(const RecordRequest& request, Progress& progress);

/// Records every case twice: once plain, once with taps, and notes where the outputs differ in any
/// bit; then repeats it as often as asked. Then their truth, where asked for, with what `open`
/// gives. A shard records its share of the cases, which may be none. Nothing is left at
/// `request.out` unless everything succeeded.
[[nodiscard]] RecordSummary record_cases(std::unique_ptr<model::Model> model, const OpenModel& open,
                                         golden_store::GoldenWriter& writer,
                                         const RecordRequest& request, Progress& progress);

/// Without a truth.
[[nodiscard]] RecordSummary record_cases(model::Model& model, golden_store::GoldenWriter& writer,
                                         const RecordRequest& request, Progress& progress);

}  // namespace parity::pipeline

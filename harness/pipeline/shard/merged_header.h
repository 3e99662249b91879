// What a golden that was joined from shards says of the run: one model, one environment, or a
// refusal where the shards' numbers are not one environment's. Knows no file but the headers.
#pragma once

#include <vector>

#include "golden_store/golden_reader.h"
#include "pipeline/shard/shard_set.h"
#include "run/recording.h"

namespace parity::pipeline {

/// Facts that are equal in all shards with cases stay as they are; of those that say nothing of
/// numbers (host, memory, what a run happened to load) all values stand, " | " between them.
/// Adds "run.shards" and "run.id". Throws Error(incompatible), naming file and fact, for any other
/// that differs: a golden is the recording of one environment.
[[nodiscard]] run::RecordingHeader merged_header(
    const std::vector<golden_store::GoldenReader>& shards, const ShardSet& set);

}  // namespace parity::pipeline

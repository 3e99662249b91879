// `parity merge`: the shards of one run in, one golden out. Runs no model and reads no value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/record/progress.h"

namespace parity::pipeline {

/// A golden of its own, or a small one whose cases stay in the shards beside it.
enum class MergeForm : std::uint8_t { copied, linked };

struct MergeRequest {
  std::vector<std::filesystem::path> shards;  ///< at least one, in any order
  MergeForm form = MergeForm::copied;
  std::filesystem::path out;
};

struct MergeSummary {
  std::uint64_t shards = 0;
  std::uint64_t cases = 0;
  std::uint64_t taps = 0;
  std::uint64_t shard_bytes = 0;  ///< of all shards
  std::uint64_t file_bytes = 0;
  double total_s = 0;
  std::vector<std::string> notes;  ///< of the merged golden
};

/// Cases come in the order of a run by one process, with the bytes that the shards hold. Every
/// shard's seal is checked first. Throws as GoldenReader, complete_set and merged_header do;
/// nothing is left at `request.out` unless everything succeeded.
[[nodiscard]] MergeSummary merge(const MergeRequest& request, Progress& progress);

}  // namespace parity::pipeline

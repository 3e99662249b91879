// Whether some files are all the shards of one run, and where each case of it is.
// Opens, reads and writes nothing.
#pragma once

#include <cstddef>
#include <vector>

#include "golden_store/golden_reader.h"
#include "run/shard.h"

namespace parity::pipeline {

/// A case by where it is.
struct ShardCase {
  std::size_t file = 0;  ///< place in the list that was given
  std::size_t case_index = 0;
};

struct ShardSet {
  std::vector<std::size_t> files;          ///< by shard: place in the list that was given
  std::vector<ShardCase> cases;            ///< in the order of a run by one process
  std::vector<run::LeftOutCase> left_out;  ///< in this order, too
};

/// `shards`: at least one, in any order. Throws Error(incompatible), naming the file or the shard,
/// for one that is missing, comes twice, is of another run or is no shard.
[[nodiscard]] ShardSet complete_set(const std::vector<golden_store::GoldenReader>& shards);

}  // namespace parity::pipeline

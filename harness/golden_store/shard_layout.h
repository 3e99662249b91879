// What a shard says of itself, as columns. The only place that knows their names.
// Whether a set of shards is complete is for whoever joins them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <H5Cpp.h>

#include "run/shard.h"

namespace parity::golden_store {

/// Throws Malformed for what does not fit a file of `case_count` cases, as does the reader.
void write_shard(const H5::Group& root, const run::ShardRecord& shard, std::size_t case_count);

/// nullopt for a golden that is no shard.
[[nodiscard]] std::optional<run::ShardRecord> read_shard(const H5::Group& root,
                                                         std::size_t case_count,
                                                         std::uint64_t file_bytes);

}  // namespace parity::golden_store

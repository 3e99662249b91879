// `--shard`: which part of the cases this process records, and under which name. Recording it, and
// joining the parts, is elsewhere.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "run/shard.h"

namespace parity::pipeline {

struct ShardChoice {
  run::Shard shard;
  /// Of this process among those of its machine, where a launcher says it: picks the GPU where
  /// nobody named one.
  std::optional<std::size_t> local_rank;
};

/// `text`: `auto` for what the launcher's variables say, `auto/N` where it has to be one of N, or
/// `I/N` (I from 0) whatever they say. Throws Error(usage) for another text, or as
/// host::launched_shard does.
[[nodiscard]] ShardChoice shard_choice_of(const std::string& text,
                                          const std::map<std::string, std::string>& environment);

/// The same in this process's environment.
[[nodiscard]] ShardChoice shard_choice_of(const std::string& text);

/// The file of one shard: `golden.shard-1-of-4.h5` for `golden.h5`.
[[nodiscard]] std::filesystem::path shard_path(const std::filesystem::path& golden,
                                               const run::Shard& shard);

}  // namespace parity::pipeline

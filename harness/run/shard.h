// Which part of a recording a file holds, where several processes share its cases.
// Knows neither launchers nor files: who decides the part, and how parts are joined, is elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/digest.h"

namespace parity::run {

/// Part `index` of `count`, from 0.
struct Shard {
  std::size_t index = 0;
  std::size_t count = 1;

  bool operator==(const Shard&) const = default;
};

/// Most parts that a recording has.
inline constexpr std::size_t kMostShards = 65536;

/// "shard 1 of 4".
[[nodiscard]] std::string to_string(const Shard& shard);

/// A case that the model is not made for, with the note that says so.
struct LeftOutCase {
  std::size_t position = 0;  ///< among all cases of the run
  std::string note;
};

/// What was asked for by one flag, whether it was given or left as it is.
struct Flag {
  std::string name;  ///< "--threads"
  std::string value;

  bool operator==(const Flag&) const = default;
};

/// What a shard says of itself, so that all of a run can be joined without a word between the
/// processes that wrote them.
struct ShardRecord {
  Shard shard;
  tensor::Digest run;                  ///< equal for all shards of one command
  std::vector<Flag> flags;             ///< that went into it, to name the one that differs
  std::size_t case_count = 0;          ///< of the whole run
  std::vector<std::size_t> positions;  ///< among these, of the cases of this file, ascending
  std::vector<LeftOutCase> left_out;   ///< ascending by position
};

}  // namespace parity::run

#include "pipeline/shard/shard_set.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "error/error.h"
#include "pipeline/shard/shard_choice.h"

namespace parity::pipeline {
namespace {

using golden_store::GoldenReader;

constexpr std::size_t kNamed = 5;

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::incompatible, text); }

std::string file_of(const GoldenReader& golden) { return golden.path().string(); }

/// Why two shards of equal count are of different runs, as far as the files tell.
std::string other_run(const GoldenReader& one, const GoldenReader& other) {
  if (one.header().model.all_weights != other.header().model.all_weights) return "other weights";
  const std::vector<run::Flag>& flags = one.shard()->flags;
  const std::vector<run::Flag>& others = other.shard()->flags;
  for (std::size_t i = 0; i < std::min(flags.size(), others.size()); ++i) {
    if (flags[i].name != others[i].name) break;
    if (flags[i].value != others[i].value) return "another " + flags[i].name;
  }
  return "other inputs or cases";
}

void check_same_run(const GoldenReader& first, const GoldenReader& other) {
  const run::ShardRecord& one = *first.shard();
  const run::ShardRecord& record = *other.shard();
  if (record.shard.count != one.shard.count) {
    refuse(fmt::format("{} is {} and {} is {}: they are parts of different runs", file_of(other),
                       run::to_string(record.shard), file_of(first), run::to_string(one.shard)));
  }
  if (record.run != one.run || record.case_count != one.case_count) {
    refuse(fmt::format("{} is of another run than {} ({}: run {} and {}); name the shards of one",
                       file_of(other), file_of(first), other_run(first, other),
                       tensor::to_hex(record.run), tensor::to_hex(one.run)));
  }
}

/// What a missing shard would be called beside `known`, where that has its name still.
std::string expected_name(const GoldenReader& known, const run::Shard& missing) {
  const std::filesystem::path& path = known.path();
  const std::string part = shard_path("x", known.shard()->shard).string().substr(1);
  const std::string stem = path.stem().string();
  if (stem.size() <= part.size() || stem.substr(stem.size() - part.size()) != part) return {};
  const std::string golden = stem.substr(0, stem.size() - part.size()) + path.extension().string();
  return shard_path(path.parent_path() / golden, missing).string();
}

void check_none_missing(const std::vector<std::optional<std::size_t>>& by_index,
                        const GoldenReader& first) {
  const auto missing = static_cast<std::size_t>(
      std::count(by_index.begin(), by_index.end(), std::optional<std::size_t>()));
  if (missing == 0) return;
  std::string names;
  std::string again;
  std::size_t named = 0;
  for (std::size_t i = 0; i < by_index.size() && named < kNamed; ++i) {
    if (by_index[i]) continue;
    const run::Shard shard{i, by_index.size()};
    const std::string name = expected_name(first, shard);
    names +=
        (named == 0 ? "" : ", ") + run::to_string(shard) + (name.empty() ? "" : " (" + name + ")");
    if (named++ == 0) again = fmt::format("{}/{}", i, by_index.size());
  }
  if (missing > named) names += fmt::format(" and {} more", missing - named);
  const char* const why =
      missing == 1 ? "is missing: its process has not finished, or its file was not named"
                   : "are missing: their processes have not finished, or their files "
                     "were not named";
  refuse(fmt::format("{} {}; name it, or record again with --shard {}{}", names, why, again,
                     missing == 1 ? "" : " and so on"));
}

std::vector<std::size_t> files_by_index(const std::vector<GoldenReader>& shards) {
  std::vector<std::optional<std::size_t>> by_index(shards.front().shard()->shard.count);
  for (std::size_t file = 0; file < shards.size(); ++file) {
    std::optional<std::size_t>& place = by_index[shards[file].shard()->shard.index];
    if (place) {
      refuse(fmt::format("{} and {} are both {}; name one of them", file_of(shards[*place]),
                         file_of(shards[file]), run::to_string(shards[file].shard()->shard)));
    }
    place = file;
  }
  check_none_missing(by_index, shards.front());
  std::vector<std::size_t> files;
  files.reserve(by_index.size());
  for (const std::optional<std::size_t>& file : by_index) files.push_back(*file);
  return files;
}

/// Before as many places are made as a file claims that there are.
void check_count(const std::vector<GoldenReader>& shards) {
  std::size_t listed = 0;
  for (const GoldenReader& shard : shards)
    listed += shard.shard()->positions.size() + shard.shard()->left_out.size();
  const std::size_t wanted = shards.front().shard()->case_count;
  if (listed == wanted) return;
  refuse(
      fmt::format("the shards hold {} cases of a run of {}, so they were not written by one "
                  "version of parity; record all shards again",
                  listed, wanted));
}

void add_case(std::vector<std::optional<ShardCase>>& cases, std::size_t position,
              const ShardCase& one, const std::vector<GoldenReader>& shards) {
  if (cases[position]) {
    refuse(
        fmt::format("{} and {} both hold case {} of the run, so they were not written by one "
                    "version of parity; record all shards again",
                    file_of(shards[cases[position]->file]), file_of(shards[one.file]), position));
  }
  cases[position] = one;
}

}  // namespace

ShardSet complete_set(const std::vector<GoldenReader>& shards) {
  PARITY_CHECK(!shards.empty());
  for (const GoldenReader& golden : shards) {
    if (golden.shard()) continue;
    refuse(
        file_of(golden) +
        " is no shard: it was recorded without --shard, or is merged already; name shards alone");
  }
  for (const GoldenReader& shard : shards) check_same_run(shards.front(), shard);
  ShardSet set;
  set.files = files_by_index(shards);
  check_count(shards);
  constexpr std::size_t kLeftOut = static_cast<std::size_t>(-1);
  std::vector<std::optional<ShardCase>> by_position(shards.front().shard()->case_count);
  for (const std::size_t file : set.files) {
    const run::ShardRecord& record = *shards[file].shard();
    for (std::size_t i = 0; i < record.positions.size(); ++i)
      add_case(by_position, record.positions[i], {file, i}, shards);
    for (const run::LeftOutCase& one : record.left_out) {
      add_case(by_position, one.position, {file, kLeftOut}, shards);
      set.left_out.push_back(one);
    }
  }
  // As many as there are places, and none twice: every place is taken.
  for (const std::optional<ShardCase>& one : by_position) {
    if (one.value().case_index != kLeftOut) set.cases.push_back(*one);
  }
  std::sort(set.left_out.begin(), set.left_out.end(),
            [](const auto& one, const auto& other) { return one.position < other.position; });
  return set;
}

}  // namespace parity::pipeline

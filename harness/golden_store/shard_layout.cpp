#include "golden_store/shard_layout.h"

#include <string>
#include <utility>
#include <vector>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"

namespace parity::golden_store {
namespace {

constexpr const char* kShard = "shard";
constexpr const char* kIndex = "index";
constexpr const char* kCount = "count";
constexpr const char* kCaseCount = "case_count";
constexpr const char* kRun = "run";
constexpr const char* kCases = "cases";
constexpr const char* kLeftOut = "left_out";
constexpr const char* kPosition = "position";
constexpr const char* kNote = "note";
constexpr const char* kFlags = "flags";
constexpr const char* kName = "name";
constexpr const char* kValue = "value";

std::vector<std::int64_t> as_column(const std::vector<std::size_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

std::vector<std::size_t> positions_of(const run::ShardRecord& shard) {
  std::vector<std::size_t> positions;
  for (const run::LeftOutCase& one : shard.left_out) positions.push_back(one.position);
  return positions;
}

void check_ascending(const std::vector<std::size_t>& positions, std::size_t case_count) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] >= case_count || (i > 0 && positions[i] <= positions[i - 1]))
      throw Malformed("the places of its cases in the whole run are impossible");
  }
}

void check(const run::ShardRecord& shard, std::size_t case_count) {
  if (shard.shard.count == 0 || shard.shard.count > run::kMostShards ||
      shard.shard.index >= shard.shard.count) {
    throw Malformed("it says that it is " + run::to_string(shard.shard));
  }
  if (shard.positions.size() != case_count)
    throw Malformed("it lists places of another number of cases than it has");
  check_ascending(shard.positions, shard.case_count);
  check_ascending(positions_of(shard), shard.case_count);
}

std::vector<std::size_t> read_positions(const TableReader& table) {
  std::vector<std::size_t> positions;
  for (const std::int64_t position : table.integers(kPosition)) {
    if (position < 0) throw Malformed("the places of its cases in the whole run are impossible");
    positions.push_back(static_cast<std::size_t>(position));
  }
  return positions;
}

std::size_t read_count(const TableReader& table, const char* column) {
  const std::int64_t value = table.integers(column).front();
  if (value < 0) throw Malformed("it counts its shards or cases below zero");
  return static_cast<std::size_t>(value);
}

}  // namespace

void write_shard(const H5::Group& root, const run::ShardRecord& shard, std::size_t case_count) {
  check(shard, case_count);
  const H5::Group group(create_group(root, kShard));
  const TableWriter table(group);
  table.integers(kIndex, as_column({shard.shard.index}));
  table.integers(kCount, as_column({shard.shard.count}));
  table.integers(kCaseCount, as_column({shard.case_count}));
  table.digests(kRun, {shard.run});
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const run::Flag& flag : shard.flags) {
    names.push_back(flag.name);
    values.push_back(flag.value);
  }
  const H5::Group flags(create_group(group, kFlags));
  TableWriter(flags).texts(kName, names);
  TableWriter(flags).texts(kValue, values);
  const H5::Group cases(create_group(group, kCases));
  TableWriter(cases).integers(kPosition, as_column(shard.positions));
  const H5::Group left_out(create_group(group, kLeftOut));
  TableWriter(left_out).integers(kPosition, as_column(positions_of(shard)));
  std::vector<std::string> notes;
  for (const run::LeftOutCase& one : shard.left_out) notes.push_back(one.note);
  TableWriter(left_out).texts(kNote, notes);
}

std::optional<run::ShardRecord> read_shard(const H5::Group& root, std::size_t case_count,
                                           std::uint64_t file_bytes) {
  if (H5Lexists(root.getId(), kShard, H5P_DEFAULT) <= 0) return std::nullopt;
  const H5::Group group = open_group(root, kShard);
  const TableReader table(group, kShard, kIndex, file_bytes);
  if (table.rows() != 1) throw Malformed("it describes another number of shards than one");
  run::ShardRecord shard;
  shard.shard = {read_count(table, kIndex), read_count(table, kCount)};
  shard.case_count = read_count(table, kCaseCount);
  shard.run = table.digests(kRun).front();
  const TableReader flags(open_group(group, kFlags), "the flags of shard", kName, file_bytes);
  std::vector<std::string> names = flags.texts(kName);
  std::vector<std::string> values = flags.texts(kValue);
  for (std::size_t i = 0; i < names.size(); ++i)
    shard.flags.push_back({std::move(names[i]), std::move(values[i])});
  shard.positions = read_positions(
      TableReader(open_group(group, kCases), "the cases of shard", kPosition, file_bytes));
  const TableReader left_out(open_group(group, kLeftOut), "the cases left out of shard", kPosition,
                             file_bytes);
  std::vector<std::string> notes = left_out.texts(kNote);
  const std::vector<std::size_t> positions = read_positions(left_out);
  for (std::size_t i = 0; i < positions.size(); ++i)
    shard.left_out.push_back({positions[i], std::move(notes[i])});
  check(shard, case_count);
  return shard;
}

}  // namespace parity::golden_store

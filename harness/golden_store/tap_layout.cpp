#include "golden_store/tap_layout.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "golden_store/columns.h"
#include "golden_store/hdf5_guard.h"
#include "golden_store/tensor_io.h"
#include "tensor/shape.h"

namespace parity::golden_store {
namespace {

constexpr const char* kNoRole = "activation";
constexpr const char* kLogits = "logits";

/// One text column out of a list of records.
template <typename Record, typename Get>
std::vector<std::string> text_column(const std::vector<Record>& records, Get get) {
  std::vector<std::string> column;
  column.reserve(records.size());
  for (const Record& record : records) column.emplace_back(get(record));
  return column;
}

template <typename Record>
void write_ids(const TableWriter& table, const std::vector<Record>& records) {
  table.texts("name", text_column(records, [](const Record& r) { return run::to_string(r.id); }));
  table.texts("kind", text_column(records, [](const Record& r) { return run::name(r.id.kind); }));
  table.texts("path", text_column(records, [](const Record& r) { return r.id.path; }));
  table.texts("op", text_column(records, [](const Record& r) { return r.id.op; }));
  table.texts("port", text_column(records, [](const Record& r) { return r.id.port; }));
  std::vector<std::int64_t> calls;
  calls.reserve(records.size());
  for (const Record& record : records) calls.push_back(record.id.call);
  table.integers("call", calls);
}

template <typename Parsed>
auto parsed(const std::string& text, const char* what, const TableReader& table, Parsed parse) {
  const auto value = parse(text);
  if (!value)
    throw Malformed(fmt::format("{} names the unknown {} {}", table.where(), what, quoted(text)));
  return *value;
}

std::vector<run::TapId> read_ids(const TableReader& table) {
  const std::vector<std::string> kinds = table.texts("kind");
  std::vector<std::string> paths = table.texts("path");
  std::vector<std::string> ops = table.texts("op");
  std::vector<std::string> ports = table.texts("port");
  const std::vector<std::int64_t> calls = table.integers("call");
  std::vector<run::TapId> ids;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (calls[row] < 0)
      throw Malformed(fmt::format("row {} of {} has a negative call", row, table.where()));
    ids.push_back({parsed(kinds[row], "kind", table, run::tap_kind_from_name),
                   std::move(paths[row]), std::move(ops[row]), calls[row], std::move(ports[row])});
  }
  return ids;
}

std::optional<run::Role> role_from_name(const std::string& text) {
  if (text == kNoRole) return run::Role::activation;
  if (text == kLogits) return run::Role::logits;
  return std::nullopt;
}

/// Takes the next `count` of the shared list of row numbers.
std::vector<std::int64_t> take_rows(const std::vector<std::int64_t>& all, std::size_t& taken,
                                    std::int64_t count, const TableReader& table) {
  if (count < 0 || static_cast<std::uint64_t>(count) > all.size() - taken) {
    throw Malformed(fmt::format("{} lists other rows than it counts", table.where()));
  }
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(taken);
  taken += static_cast<std::size_t>(count);
  return {begin, begin + count};
}

void check_unique(const std::vector<run::TapRecord>& taps, const TableReader& table) {
  std::set<std::string> keys;
  for (const run::TapRecord& tap : taps) {
    if (!keys.insert(unique_key(tap.id)).second) {
      throw Malformed(
          fmt::format("{} lists the tap {} twice", table.where(), quoted(run::to_string(tap.id))));
    }
  }
}

void check_rows(const run::TapRecord& tap) {
  const std::int64_t row_size = tap.shape.empty() ? 1 : tap.shape.back();
  const std::uint64_t elements = tensor::element_count(tap.shape);
  const std::uint64_t row_count =
      row_size == 0 ? 0 : elements / static_cast<std::uint64_t>(row_size);
  std::int64_t previous = -1;
  for (const std::int64_t row : tap.rows) {
    if (row <= previous || static_cast<std::uint64_t>(row) >= row_count) {
      throw Malformed(fmt::format("the tap {} has rows that do not fit its shape {}",
                                  quoted(run::to_string(tap.id)), tensor::to_string(tap.shape)));
    }
    previous = row;
  }
}

}  // namespace

void check_tap(const run::TapRecord& tap) {
  if (tap.shape.size() > kMaxRank) {
    throw Malformed(fmt::format("the tap {} has {} dimensions, and HDF5 holds at most {}",
                                quoted(run::to_string(tap.id)), tap.shape.size(), kMaxRank));
  }
  if (tap.mode == run::StoreMode::rows) {
    check_rows(tap);
  } else if (!tap.rows.empty()) {
    throw Malformed(fmt::format("the tap {} lists rows but is not stored by rows",
                                quoted(run::to_string(tap.id))));
  }
}

std::string unique_key(const run::TapId& id) {
  return fmt::format("{} {} {} {} {}\n{}{}{}", run::name(id.kind), id.call, id.path.size(),
                     id.op.size(), id.port.size(), id.path, id.op, id.port);
}

void write_tap_index(const H5::Group& group, const std::vector<run::TapRecord>& taps) {
  using run::TapRecord;
  const TableWriter table(group);
  write_ids(table, taps);
  table.texts("dtype",
              text_column(taps, [](const TapRecord& tap) { return tensor::name(tap.dtype); }));
  table.texts("mode", text_column(taps, [](const TapRecord& tap) { return run::name(tap.mode); }));
  table.texts("role", text_column(taps, [](const TapRecord& tap) {
                return tap.role == run::Role::logits ? kLogits : kNoRole;
              }));
  std::vector<tensor::Shape> shapes;
  std::vector<tensor::Digest> digests;
  std::vector<std::int64_t> row_counts;
  std::vector<std::int64_t> rows;
  for (const TapRecord& tap : taps) {
    shapes.push_back(tap.shape);
    digests.push_back(tap.digest);
    row_counts.push_back(static_cast<std::int64_t>(tap.rows.size()));
    rows.insert(rows.end(), tap.rows.begin(), tap.rows.end());
  }
  table.shapes(shapes);
  table.digests("digest", digests);
  table.integers("row_count", row_counts);
  table.integers("rows", rows);
}

void write_skipped(const H5::Group& group, const std::vector<run::SkippedTap>& skipped) {
  const TableWriter table(group);
  write_ids(table, skipped);
  table.texts("reason",
              text_column(skipped, [](const run::SkippedTap& tap) { return tap.reason; }));
}

std::vector<run::TapRecord> read_tap_index(const H5::Group& group, const std::string& where,
                                           std::uint64_t file_bytes) {
  const TableReader table(group, where, "path", file_bytes);
  std::vector<run::TapId> ids = read_ids(table);
  const std::vector<std::string> dtypes = table.texts("dtype");
  const std::vector<std::string> modes = table.texts("mode");
  const std::vector<std::string> roles = table.texts("role");
  std::vector<tensor::Shape> shapes = table.shapes();
  const std::vector<tensor::Digest> digests = table.digests("digest");
  const std::vector<std::int64_t> row_counts = table.integers("row_count");
  const std::vector<std::int64_t> rows = table.free_integers("rows");
  std::size_t taken = 0;
  std::vector<run::TapRecord> taps;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    run::TapRecord tap;
    tap.id = std::move(ids[row]);
    tap.dtype = parsed(dtypes[row], "dtype", table, tensor::dtype_from_name);
    tap.shape = std::move(shapes[row]);
    tap.digest = digests[row];
    tap.mode = parsed(modes[row], "mode", table, run::store_mode_from_name);
    tap.rows = take_rows(rows, taken, row_counts[row], table);
    tap.role = parsed(roles[row], "role", table, role_from_name);
    check_tap(tap);
    taps.push_back(std::move(tap));
  }
  if (taken != rows.size())
    throw Malformed(fmt::format("{} lists other rows than it counts", where));
  check_unique(taps, table);
  return taps;
}

std::vector<run::SkippedTap> read_skipped(const H5::Group& group, const std::string& where,
                                          std::uint64_t file_bytes) {
  const TableReader table(group, where, "path", file_bytes);
  std::vector<run::TapId> ids = read_ids(table);
  std::vector<std::string> reasons = table.texts("reason");
  std::vector<run::SkippedTap> skipped;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    skipped.push_back({std::move(ids[row]), std::move(reasons[row])});
  }
  return skipped;
}

}  // namespace parity::golden_store

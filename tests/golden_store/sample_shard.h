// A shard with all that a golden can hold, and two cases held against each other.
// For tests of taking cases over.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "golden_store/sample_golden.h"
#include "run/shard.h"

namespace parity::golden_store::testing {

inline run::ShardRecord part(std::vector<std::size_t> positions) {
  run::ShardRecord record;
  record.shard = {1, 3};
  record.run = tensor::digest_of(sample_bytes(8, 5));
  record.case_count = 7;
  record.positions = std::move(positions);
  record.left_out = {{0, "case small was left out: too small"}, {6, "case large was left out"}};
  return record;
}

/// One case with all that a case can have, after one that differs by its values.
inline void write_rich(const std::filesystem::path& path, const WriteOptions& options = {}) {
  GoldenWriter writer(path, options);
  const SampleGolden golden = golden_of_every_dtype({40, 33});
  for (const std::string name : {"first", "second"}) {
    writer.begin_case(name, small_golden().cases[0].inputs);
    writer.add_tap(
        random_tap(module_id("only of " + name), tensor::DType::float32, {64, 9}, 3).record,
        random_tap(module_id("only of " + name), tensor::DType::float32, {64, 9}, 3).stored);
    for (const SampleTap& tap : golden.cases[0].taps) writer.add_tap(tap.record, tap.stored);
    SampleTap rows = full_tap(module_id("rows"), tensor::DType::float64, {3, 2},
                              bytes_of<double>({1, 2, 3, 4, 5, 6}));
    rows.record.mode = run::StoreMode::rows;
    rows.record.rows = {0, 2};
    writer.add_tap(rows.record, bytes_of<double>({1, 2, 5, 6}));
    SampleTap digest = random_tap(module_id("digest"), tensor::DType::float32, {3}, 4);
    digest.record.mode = run::StoreMode::digest;
    writer.add_tap(digest.record, {});
    writer.add_noise({2, {{1, 1, {{"nrmse", 0.5}}}}});
    writer.end_case({{module_id("text"), "a str is no tensor"}}, {"a note"});
  }
  writer.begin_truth(1, tensor::DType::float64);
  const SampleTap truth = random_tap(module_id("embed"), tensor::DType::float64, {2, 4}, 21);
  writer.add_tap(truth.record, truth.stored);
  writer.end_truth({"ran on the CPU"}, {1e-3});
  writer.finish(golden.header, part({2, 4}));
}

inline void expect_same_taps(const std::vector<run::TapRecord>& one,
                             const std::vector<run::TapRecord>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].id, other[i].id);
    EXPECT_EQ(one[i].digest, other[i].digest);
    EXPECT_EQ(one[i].rows, other[i].rows);
  }
}

inline bool same_bytes(const tensor::HostTensor& one, const tensor::HostTensor& other) {
  return std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin(),
                    other.bytes().end());
}

/// Everything of a case that a reader gives.
inline void expect_same_case(const GoldenReader& one, std::size_t case_of_one,
                             const GoldenReader& other, std::size_t case_of_other) {
  const run::CaseRecord& left = one.cases().at(case_of_one);
  const run::CaseRecord& right = other.cases().at(case_of_other);
  EXPECT_EQ(left.name, right.name);
  EXPECT_EQ(left.notes, right.notes);
  ASSERT_EQ(left.skipped.size(), right.skipped.size());
  expect_same_taps(left.taps, right.taps);
  for (std::size_t t = 0; t < left.taps.size(); ++t) {
    EXPECT_TRUE(same_bytes(one.read_tap(case_of_one, t), other.read_tap(case_of_other, t)))
        << run::to_string(left.taps[t].id);
  }
  ASSERT_TRUE(right.noise.has_value());
  EXPECT_EQ(left.noise->taps.at(0).figures.at(0).value,
            right.noise->taps.at(0).figures.at(0).value);
  EXPECT_TRUE(same_bytes(std::get<tensor::HostTensor>(one.read_inputs(case_of_one).data),
                         std::get<tensor::HostTensor>(other.read_inputs(case_of_other).data)));
  ASSERT_EQ(left.truth.has_value(), right.truth.has_value());
  if (!left.truth) return;
  expect_same_taps(left.truth->taps, right.truth->taps);
  EXPECT_EQ(left.truth->introduced_nrmse, right.truth->introduced_nrmse);
  EXPECT_TRUE(
      same_bytes(one.read_truth_tap(case_of_one, 0), other.read_truth_tap(case_of_other, 0)));
}

}  // namespace parity::golden_store::testing

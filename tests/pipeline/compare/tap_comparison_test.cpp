#include "pipeline/compare/tap_comparison.h"

#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "capture/row_selection.h"
#include "pipeline/judge/tap_judgement.h"

namespace parity::pipeline {
namespace {

using report::Outcome;

/// A float32 tap of 6 rows of 4, stored in any mode.
struct StoredTap {
  run::TapRecord record;
  std::vector<std::byte> bytes;

  [[nodiscard]] TapData data() const {
    return {record, {record.dtype, run::stored_shape(record), bytes}};
  }
};

StoredTap stored(const std::vector<float>& values, run::StoreMode mode,
                 const std::vector<std::int64_t>& rows = {}) {
  StoredTap tap;
  tap.record.id = {run::TapKind::module, "layer", "", 0, ""};
  tap.record.shape = {static_cast<std::int64_t>(values.size()) / 4, 4};
  tap.record.mode = mode;
  tap.record.rows = rows;
  std::vector<std::byte> all(values.size() * sizeof(float));
  std::memcpy(all.data(), values.data(), all.size());
  tap.record.digest = tensor::digest_of(all);
  if (mode == run::StoreMode::full) tap.bytes = all;
  if (mode == run::StoreMode::rows) {
    tap.bytes = capture::select_rows({tap.record.dtype, tap.record.shape, all}, rows);
  }
  return tap;
}

std::vector<float> ramp() {
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

/// Compared, and judged by the built-in policy. `asked`: the dtype that the candidate should have.
ComparedTap compared(const StoredTap& reference, const StoredTap& candidate,
                     const std::string& asked = "") {
  ComparedTap result = compare_tap(compare::Reference{reference.data()},
                                   compare::Candidate{candidate.data()}, {3, 1});
  judge_tap(result.tap, {gate::default_rules(), "case", asked});
  return result;
}

TEST(TapComparison, OfEqualTensorsIsIdenticalInEveryPairOfStoreModes) {
  const std::vector<std::int64_t> rows = {0, 3, 5};
  const StoredTap full = stored(ramp(), run::StoreMode::full);
  const StoredTap some = stored(ramp(), run::StoreMode::rows, rows);
  const StoredTap digest = stored(ramp(), run::StoreMode::digest);
  struct Row {
    const StoredTap& reference;
    const StoredTap& candidate;
    Outcome outcome;
  };
  for (const Row& row :
       {Row{full, full, Outcome::compared}, Row{some, full, Outcome::rows_compared},
        Row{full, some, Outcome::rows_compared}, Row{some, some, Outcome::rows_compared},
        Row{digest, full, Outcome::digest_equal}, Row{full, digest, Outcome::digest_equal},
        Row{digest, digest, Outcome::digest_equal}}) {
    const ComparedTap result = compared(row.reference, row.candidate);
    EXPECT_EQ(result.tap.outcome, row.outcome);
    EXPECT_EQ(result.tap.verdict, run::Verdict::identical) << report::name(row.outcome);
    if (result.tap.facts) {
      EXPECT_EQ(result.tap.facts->ulp.max, 0U);
    }
  }
}

TEST(TapComparison, FindsADifferenceInAStoredRow) {
  std::vector<float> wrong = ramp();
  wrong[3 * 4 + 1] *= 2;  // row 3
  const StoredTap candidate = stored(wrong, run::StoreMode::full);
  const ComparedTap result = compared(stored(ramp(), run::StoreMode::rows, {0, 3}), candidate);
  EXPECT_EQ(result.tap.verdict, run::Verdict::diverged);
  EXPECT_EQ(result.tap.facts->worst.at(0).index, (std::vector<std::int64_t>{3, 1}))
      << "in the tap, not in the rows";
  EXPECT_EQ(result.tap.facts->where.first, (std::vector<std::int64_t>{3, 1}));
}

TEST(TapComparison, SuspectsADifferenceInRowsThatWereNotStored) {
  std::vector<float> wrong = ramp();
  wrong[3 * 4 + 1] *= 2;  // row 3
  const ComparedTap elsewhere =
      compared(stored(ramp(), run::StoreMode::rows, {0, 5}), stored(wrong, run::StoreMode::full));
  EXPECT_EQ(elsewhere.tap.verdict, run::Verdict::suspect);
  EXPECT_NE(elsewhere.tap.reasons.front().find("rows that were not stored differ"),
            std::string::npos);
  EXPECT_EQ(elsewhere.tap.reasons.back(), "compared on 2 of 6 rows")
      << "a partial comparison says so";
}

TEST(TapComparison, FailsWhenADigestDiffers) {
  std::vector<float> wrong = ramp();
  wrong[0] += 1e-6F;
  const ComparedTap result =
      compared(stored(ramp(), run::StoreMode::digest), stored(wrong, run::StoreMode::full));
  EXPECT_EQ(result.tap.outcome, Outcome::digest_differs);
  EXPECT_EQ(result.tap.verdict, run::Verdict::diverged);
}

TEST(TapComparison, NamesTheDtypesWhereADigestCannotBeEqual) {
  const StoredTap reference = stored(ramp(), run::StoreMode::digest);
  for (const run::StoreMode mode : {run::StoreMode::full, run::StoreMode::digest}) {
    StoredTap candidate = stored(ramp(), mode);
    candidate.record.dtype = tensor::DType::int32;
    for (const ComparedTap& result :
         {compared(reference, candidate), compared(candidate, reference)}) {
      EXPECT_EQ(result.tap.outcome, Outcome::dtype_differs);
      EXPECT_EQ(result.tap.verdict, run::Verdict::dtype_differs);
    }
  }
}

TEST(TapComparison, ComparesNothingWhenTheTwoSidesStoredDifferentRows) {
  const ComparedTap result = compared(stored(ramp(), run::StoreMode::rows, {0, 1}),
                                      stored(ramp(), run::StoreMode::rows, {0, 2}));
  EXPECT_EQ(result.tap.outcome, Outcome::not_compared);
  EXPECT_EQ(result.tap.verdict, run::Verdict::untested);
}

TEST(TapComparison, SaysBothShapesWhenTheyDiffer) {
  std::vector<float> longer = ramp();
  longer.resize(32, 1.0F);
  const ComparedTap result =
      compared(stored(ramp(), run::StoreMode::full), stored(longer, run::StoreMode::full));
  EXPECT_EQ(result.tap.verdict, run::Verdict::shape_differs);
  ASSERT_TRUE(result.tap.shapes.has_value());
  EXPECT_EQ(result.tap.shapes->candidate, (tensor::Shape{8, 4}));
}

TEST(TapComparison, HasNoDistanceBetweenComplexAndRealNumbers) {
  const StoredTap reference = stored(ramp(), run::StoreMode::full);
  StoredTap candidate = stored(ramp(), run::StoreMode::full);
  candidate.record.dtype = tensor::DType::complex64;
  candidate.bytes.resize(2 * candidate.bytes.size());
  const ComparedTap result = compared(reference, candidate);
  EXPECT_EQ(result.tap.outcome, Outcome::dtype_differs);
  EXPECT_EQ(result.tap.verdict, run::Verdict::dtype_differs);
  EXPECT_FALSE(result.tap.facts.has_value());
}

TEST(TapComparison, JudgesAcrossDtypesByTheCoarserOnesBounds) {
  std::vector<float> exact(24);
  for (std::size_t i = 0; i < exact.size(); ++i)
    exact[i] = 1.0F + 1e-3F * static_cast<float>(i % 7);
  StoredTap candidate = stored(exact, run::StoreMode::full);
  candidate.record.dtype = tensor::DType::bfloat16;
  candidate.bytes.clear();
  for (const float value :
       exact) {  // rounded down to 8 bits: within a step of bfloat16, far outside float32's
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    candidate.bytes.push_back(static_cast<std::byte>(bits >> 16U & 0xffU));
    candidate.bytes.push_back(static_cast<std::byte>(bits >> 24U));
  }
  const StoredTap reference = stored(exact, run::StoreMode::full);
  const ComparedTap asked = compared(reference, candidate, "bfloat16");
  EXPECT_EQ(asked.tap.verdict, run::Verdict::within);
  EXPECT_EQ(asked.tap.facts->where.outside, 0U);
  EXPECT_EQ(compared(reference, candidate).tap.verdict, run::Verdict::dtype_differs);
}

TEST(TapComparison, JudgesLogitsBesideTheTensor) {
  StoredTap reference = stored(ramp(), run::StoreMode::full);
  reference.record.id = {run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  reference.record.role = run::Role::logits;
  const ComparedTap same = compared(reference, reference);
  ASSERT_TRUE(same.logits.has_value());
  EXPECT_EQ(same.logits->facts.positions, 6U);
  EXPECT_EQ(same.logits->facts.flips, 0U);
  std::vector<float> flipped = ramp();
  flipped[0] = 100.0F;
  const ComparedTap other = compared(reference, stored(flipped, run::StoreMode::full));
  ASSERT_TRUE(other.logits.has_value());
  EXPECT_EQ(other.logits->facts.flips, 1U);
}

}  // namespace
}  // namespace parity::pipeline

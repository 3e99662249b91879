// Tests of the ladder of verdicts: its names, its order and which rungs pass.
#include "run/verdict.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

struct Row {
  Verdict verdict;
  std::string name;
  bool passes;
  bool passes_strictly;
};

// Best first.
const std::vector<Row> kLadder = {
    {Verdict::identical, "identical", true, true},
    {Verdict::within, "within", true, true},
    {Verdict::closer, "closer", true, true},
    {Verdict::suspect, "suspect", true, false},
    {Verdict::diverged, "diverged", false, false},
    {Verdict::non_finite, "non_finite", false, false},
    {Verdict::shape_differs, "shape_differs", false, false},
    {Verdict::dtype_differs, "dtype_differs", false, false},
    {Verdict::missing, "missing", false, false},
    {Verdict::additional, "additional", false, false},
    {Verdict::untrusted, "untrusted", false, false},
    {Verdict::untested, "untested", false, false},
};

TEST(Verdict, PassesOrFailsAsTheLadderSays) {
  for (const Row& row : kLadder) {
    EXPECT_EQ(passes(row.verdict, Strictness::normal), row.passes) << row.name;
    EXPECT_EQ(passes(row.verdict, Strictness::strict), row.passes_strictly) << row.name;
  }
}

TEST(Verdict, AreOrderedBestFirst) {
  for (std::size_t i = 1; i < kLadder.size(); ++i) {
    EXPECT_LT(kLadder[i - 1].verdict, kLadder[i].verdict) << kLadder[i].name;
  }
}

TEST(Verdict, NamesRoundTrip) {
  for (const Row& row : kLadder) {
    EXPECT_EQ(name(row.verdict), row.name);
    EXPECT_EQ(verdict_from_name(row.name), row.verdict);
  }
  for (const char* text : {"", "pass", "Identical", "non-finite"})
    EXPECT_EQ(verdict_from_name(text), std::nullopt) << text;
}

TEST(Verdict, OutsideTheLadderNeverPasses) {
  EXPECT_FALSE(passes(static_cast<Verdict>(kLadder.size()), Strictness::normal));
}

}  // namespace
}  // namespace parity::run

// Tests of the exception type: exit codes by kind, the message as given, and the abort of a broken
// invariant.
#include "error/error.h"

#include <array>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace parity {
namespace {

struct KindRow {
  ErrorKind kind;
  std::string name;
  int exit_code;
};

const std::array<KindRow, 6> kKinds = {{{ErrorKind::usage, "usage", 2},
                                        {ErrorKind::model, "model", 2},
                                        {ErrorKind::store, "store", 2},
                                        {ErrorKind::incompatible, "incompatible", 2},
                                        {ErrorKind::device, "device", 3},
                                        {ErrorKind::resource, "resource", 3}}};

TEST(ErrorKinds, HaveTheirNameAndExitCode) {
  for (const KindRow& row : kKinds) {
    EXPECT_EQ(name(row.kind), row.name);
    EXPECT_EQ(exit_code(row.kind), row.exit_code) << row.name;
  }
}

TEST(ErrorKinds, NeverExitAsIfTheGateHadPassedOrFailed) {
  for (const KindRow& row : kKinds) {
    EXPECT_NE(exit_code(row.kind), 0) << row.name;
    EXPECT_NE(exit_code(row.kind), 1) << row.name;
  }
}

TEST(ErrorKinds, HaveDifferentNames) {
  std::set<std::string> names;
  for (const KindRow& row : kKinds) names.insert(std::string(name(row.kind)));
  EXPECT_EQ(names.size(), kKinds.size());
}

TEST(Error, CarriesKindMessageAndNoDetail) {
  const Error error(ErrorKind::store, "golden.h5 is truncated; record it again");
  EXPECT_EQ(error.kind(), ErrorKind::store);
  EXPECT_STREQ(error.what(), "golden.h5 is truncated; record it again");
  EXPECT_EQ(error.detail(), "");
}

TEST(Error, KeepsDetailApartFromTheMessage) {
  try {
    throw Error(ErrorKind::model, "layer fc1 failed").with_detail("frame 0\nframe 1");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "layer fc1 failed");
    EXPECT_EQ(error.detail(), "frame 0\nframe 1");
    EXPECT_EQ(error.kind(), ErrorKind::model);
    return;
  }
  FAIL() << "nothing was caught as Error";
}

TEST(Error, IsAStandardException) {
  EXPECT_THROW(throw Error(ErrorKind::usage, "no"), std::exception);
}

TEST(ParityCheck, EvaluatesATrueExpressionOnceAndGoesOn) {
  int evaluations = 0;
  PARITY_CHECK(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

TEST(ParityCheckDeathTest, AbortsWithTheExpressionAndThePlace) {
  EXPECT_DEATH(PARITY_CHECK(1 + 1 == 3),
               "internal check failed: 1 \\+ 1 == 3 .*error_test.cpp:[0-9]+");
}

}  // namespace
}  // namespace parity

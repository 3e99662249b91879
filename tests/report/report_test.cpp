// The names of outcomes, which the JSON report and its schema spell.
#include "report/data/report.h"

#include <gtest/gtest.h>

namespace parity::report {
namespace {

TEST(Outcome, HasTheNameOfTheSchema) {
  const std::pair<Outcome, std::string_view> rows[] = {
      {Outcome::compared, "compared"},
      {Outcome::rows_compared, "rows_compared"},
      {Outcome::digest_equal, "digest_equal"},
      {Outcome::digest_differs, "digest_differs"},
      {Outcome::shape_differs, "shape_differs"},
      {Outcome::dtype_differs, "dtype_differs"},
      {Outcome::missing, "missing"},
      {Outcome::additional, "additional"},
      {Outcome::not_compared, "not_compared"},
  };
  for (const auto& [outcome, text] : rows) EXPECT_EQ(name(outcome), text);
  EXPECT_EQ(Tap{}.outcome, Outcome::not_compared) << "an outcome that nobody stated";
  EXPECT_EQ(Report{}.result, Result::fail) << "a report that nobody filled in";
}

}  // namespace
}  // namespace parity::report

// What is said about the built-in policy, in docs/metrics.md and in the origins of its bounds,
// against its numbers.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/element_bound.h"
#include "gate/policy.h"

namespace parity::gate {
namespace {

using tensor::DType;

double u_of(DType dtype) { return tensor::unit_roundoff(tensor::component(dtype)); }

const Bound& bound_of(const std::vector<Bound>& bounds, std::string_view metric) {
  for (const Bound& bound : bounds) {
    if (bound.metric == metric) return bound;
  }
  ADD_FAILURE() << "no bound on " << metric;
  static const Bound kNone;
  return kNone;
}

const Bound& bound_of(DType dtype, std::string_view metric) {
  return bound_of(default_policy().for_dtype(dtype).bounds, metric);
}

/// A row of the table of bounds: all its dtypes have the same multiples of their unit roundoff.
struct Documented {
  std::string title;
  std::vector<DType> dtypes;
  std::vector<DType> in_numbers;  ///< dtypes for which the limits of nrmse are written out
};

std::vector<Documented> documented_rows() {
  return {
      {"float64, float32, complex",
       {DType::float64, DType::float32, DType::complex64, DType::complex128},
       {DType::float32}},
      {"bfloat16, float16", {DType::bfloat16, DType::float16}, {DType::bfloat16, DType::float16}},
      {"float8 kinds",
       {DType::float8_e4m3fn, DType::float8_e4m3fnuz, DType::float8_e5m2, DType::float8_e5m2fnuz},
       {}}};
}

/// The cells that follow from the policy, as the document has to show them.
std::string expected_row(const Documented& row, DType dtype) {
  const double u = u_of(dtype);
  const Bound& norm = bound_of(dtype, "nrmse");
  const Bound& largest = bound_of(dtype, "max_error_over_rms");
  const Bound& share = bound_of(dtype, "where.share");
  const compare::ElementBound element = compare::element_bound(dtype);
  std::string numbers;
  for (const DType shown : row.in_numbers) {
    const Bound& limits = bound_of(shown, "nrmse");
    numbers += fmt::format("{}{} {:.1e} / {:.1e}", numbers.empty() ? " (" : "; ",
                           tensor::name(shown), limits.warn, limits.fail);
  }
  if (!numbers.empty()) numbers += ")";
  return fmt::format(
      "| {} | {:g} u / {:g} u{} | {:g} u / {:g} u | {:g} / {:g} | {:g} u \\|r\\| + {:g} u rms | ",
      row.title, norm.warn / u, norm.fail / u, numbers, largest.warn / u, largest.fail / u,
      share.warn, share.fail, element.relative / u, element.of_rms / u);
}

std::string document() {
  std::ifstream file(PARITY_METRICS_MD);
  std::ostringstream text;
  text << file.rdbuf();
  // A sentence may be broken anywhere.
  return std::regex_replace(text.str(), std::regex("([^|\n])\n([^|\n])"), "$1 $2");
}

/// The rest of the line after `start`; fails when there is no such line.
std::string line_after(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  if (at == std::string::npos) {
    ADD_FAILURE() << "docs/metrics.md lacks a line that starts with\n" << start;
    return "";
  }
  const std::size_t from = at + 1 + start.size();
  return text.substr(from, text.find('\n', from) - from);
}

TEST(DocumentedPolicy, HasTheNumbersOfEveryDtype) {
  const std::string text = document();
  std::set<DType> documented;
  for (const Documented& row : documented_rows()) {
    for (const DType dtype : row.dtypes) {
      const std::string measured = line_after(text, expected_row(row, dtype));
      documented.insert(dtype);
      // What the document calls measured is what the bound rests on.
      const std::regex number("[0-9.]+e-[0-9]+");
      for (std::sregex_iterator found(measured.begin(), measured.end(), number), end; found != end;
           ++found) {
        EXPECT_NE(bound_of(dtype, "nrmse").origin.find(found->str()), std::string::npos)
            << found->str() << " is not in the origin for " << tensor::name(dtype);
      }
    }
  }
  for (const DType dtype : tensor::all_dtypes()) {
    if (!tensor::is_integral(dtype)) {
      EXPECT_EQ(documented.count(dtype), 1U) << tensor::name(dtype);
      EXPECT_EQ(default_policy().for_dtype(dtype).bounds.size(), 3U) << tensor::name(dtype);
      continue;
    }
    ASSERT_EQ(default_policy().for_dtype(dtype).bounds.size(), 1U) << tensor::name(dtype);
    const Bound& bound = bound_of(dtype, "unequal");
    line_after(text, fmt::format("| integers, bool | | | | | `unequal` {:g} / {:g}", bound.warn,
                                 bound.fail));
  }
}

TEST(DocumentedPolicy, HasTheNumbersOfLogits) {
  std::string expected = "Logits: ";
  for (const Bound& bound : default_policy().logits) {
    const bool nat = bound.metric.rfind("kl", 0) == 0;
    expected += fmt::format("{}`{}` {:g} / {:g}{}", expected.back() == ' ' ? "" : ", ",
                            bound.metric, bound.warn, bound.fail, nat ? " nat" : "");
  }
  line_after(document(), expected);
}

/// A number that an origin quotes (the group of `pattern`) and what it has to be.
struct Quoted {
  const Bound& bound;
  std::string pattern;
  double expected;
  double tolerance;  ///< of the quotient; words such as "7 times" are rounded
};

void expect_quoted(const Quoted& quoted) {
  std::smatch match;
  ASSERT_TRUE(std::regex_search(quoted.bound.origin, match, std::regex(quoted.pattern)))
      << quoted.bound.metric << " lacks " << quoted.pattern << ": " << quoted.bound.origin;
  const double number = std::stod(match[1].str());
  EXPECT_NEAR(number / quoted.expected, 1, quoted.tolerance)
      << quoted.bound.metric << ": " << match[0].str() << " should be " << quoted.expected;
}

TEST(Origin, QuotesMeasurementsThatGiveTheLimitsOfWideFormats) {
  const double u = u_of(DType::float32);
  const Bound& norm = bound_of(DType::float32, "nrmse");
  const double measured = 9.8e-7;
  const double tf32 = 1.1e-4;
  const Quoted rows[] = {{norm, "\\(([0-9.e-]+) in float32\\)", measured, 1e-9},
                         {norm, "reaches ([0-9.]+) u", measured / u, 0.05},
                         {norm, "\\(([0-9.e-]+)\\): warn", tf32, 1e-9},
                         {norm, "starts at ([0-9.]+) u", tf32 / u, 0.05},
                         {norm, "warn ([0-9.]+) times above the one", norm.warn / measured, 0.05},
                         {norm, "fail ([0-9.]+) times below the other", tf32 / norm.fail, 0.05}};
  for (const Quoted& row : rows) expect_quoted(row);
  const Bound& largest = bound_of(DType::float32, "max_error_over_rms");
  expect_quoted({largest, "by ([0-9.]+) \\(warn\\)", largest.warn / u / 300, 0.05});
  expect_quoted({largest, "or ([0-9.]+) \\(fail\\)", largest.fail / u / 300, 0.05});
}

TEST(Origin, QuotesMeasurementsThatGiveTheLimitsOfNarrowFormats) {
  const DType wider = DType::float16;
  const double reached = 2.2;  // u
  for (const DType dtype : {DType::bfloat16, wider}) {
    const double u = u_of(dtype);
    const Bound& norm = bound_of(dtype, "nrmse");
    const std::string measured =
        dtype == wider ? "([0-9.e-]+) in float16" : "([0-9.e-]+) in bfloat";
    expect_quoted({norm, "reach ([0-9.]+) u", reached, 1e-9});
    expect_quoted({norm, measured, reached * u, 0.05});
    expect_quoted({norm, "warn ([0-9.]+) times", norm.warn / u / reached, 0.15});
    expect_quoted({norm, "fail ([0-9.]+) times", norm.fail / u / reached, 0.15});
    // A step is two unit roundoffs of the largest number of its binade.
    const Bound& largest = bound_of(dtype, "max_error_over_rms");
    expect_quoted({largest, "element ([0-9.]+) \\(warn\\)", largest.warn / u / 2, 1e-9});
    expect_quoted({largest, "or ([0-9.]+) \\(fail\\)", largest.fail / u / 2, 1e-9});
  }
  const double coarsest = u_of(DType::float8_e5m2);
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const double u = u_of(dtype);
    const Bound& norm = bound_of(dtype, "nrmse");
    EXPECT_LT(norm.fail, 0.5) << "half of every value must fail";
    expect_quoted({norm, "gives ([0-9.]+) u or more", 0.5 / coarsest, 1e-9});
    const Bound& largest = bound_of(dtype, "max_error_over_rms");
    expect_quoted({largest, "element ([0-9.]+) \\(warn\\)", largest.warn / u / 2, 1e-9});
    expect_quoted({largest, "or ([0-9.]+) \\(fail\\)", largest.fail / u / 2, 1e-9});
  }
}

TEST(Origin, StatesTheMultiplesInForce) {
  for (const DType dtype : tensor::all_dtypes()) {
    if (tensor::is_integral(dtype)) continue;
    const double u = u_of(dtype);
    for (const char* metric : {"nrmse", "max_error_over_rms"}) {
      const Bound& bound = bound_of(dtype, metric);
      expect_quoted({bound, "^([0-9.]+) u / ", bound.warn / u, 1e-9});
      expect_quoted({bound, "^[0-9.]+ u / ([0-9.]+) u: ", bound.fail / u, 1e-9});
    }
    const compare::ElementBound element = compare::element_bound(dtype);
    const Bound& share = bound_of(dtype, "where.share");
    expect_quoted({share, "beyond ([0-9.]+) u of its own value", element.relative / u, 1e-9});
    expect_quoted({share, "plus ([0-9.]+) u of the rms", element.of_rms / u, 1e-9});
    EXPECT_EQ(element.relative, 2 * bound_of(dtype, "nrmse").fail) << tensor::name(dtype);
    EXPECT_EQ(element.of_rms, bound_of(dtype, "nrmse").fail) << tensor::name(dtype);
  }
}

TEST(Origin, QuotesTheScaleOfHarmThatGivesTheLimitsOfLogits) {
  const std::vector<Bound>& logits = default_policy().logits;
  const Bound& mean = bound_of(logits, "kl.mean");
  const Bound& max = bound_of(logits, "kl.max");
  std::smatch harm;
  ASSERT_TRUE(std::regex_search(
      mean.origin, harm,
      std::regex("Q8_0\\) cost ([0-9.e-]+) nat, 5-bit weights ([0-9.]+e-[0-9]+).*golden: "
                 "([0-9.]+e-[0-9]+)\\)")))
      << mean.origin;
  EXPECT_LT(std::stod(harm[3].str()), mean.warn) << "the committed golden";
  EXPECT_LT(mean.warn, std::stod(harm[1].str())) << "8-bit weights";
  EXPECT_LT(mean.fail, std::stod(harm[2].str())) << "5-bit weights";
  expect_quoted({max, "some ([0-9.]+) to", max.warn / mean.warn, 1e-9});
  expect_quoted({max, "to ([0-9.]+) times", max.fail / mean.fail, 1e-9});
  const Bound& top1 = bound_of(logits, "top1_agreement");
  expect_quoted({top1, "keep ([0-9.]+) %", 100 * top1.warn, 0.005});
}

}  // namespace
}  // namespace parity::gate

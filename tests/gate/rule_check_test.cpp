// Rules that have nothing to judge in a golden, limits that its taps make worthless, bounds on what
// is not measured, and that this is quick for policies of any size.
#include "gate/rule_check.h"

#include <chrono>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/policy_file.h"

namespace parity::gate {
namespace {

using run::TapKind;
using tensor::DType;

run::TapId module(const std::string& path) { return {TapKind::module, path, "", 0, ""}; }
/// One rule of these keys.
RuleBook book_with(const std::string& keys, const std::string& bounds = "") {
  const std::string bound =
      bounds.empty() ? "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n" : bounds;
  return parse_policy("name = \"p\"\n[[rule]]\nreason = \"r\"\n" + keys + "\n" + bound, "p.toml");
}

/// The message of check_against for taps a and b in float32 and `<output>` with logits in bfloat16.
std::string objection(const RuleBook& book) {
  const run::TapId output{TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  try {
    check_against(book, {{module("a"), DType::float32, "prose"},
                         {module("b"), DType::float32, "prose"},
                         {output, DType::bfloat16, "prose", run::Role::logits}});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "";
}

TEST(CheckAgainst, RefusesRulesThatHaveNothingToJudge) {
  const std::string bound = "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n";
  const std::string logits = "[[logits]]\nreason = \"r\"\n";
  const std::string kl = "[[logits.bound]]\nmetric = \"kl.max\"\nfail = 0.5\n";
  const std::string first = "name = \"p\"\n[[rule]]\nreason = \"r\"\n";
  const struct {
    std::string text;
    std::string message;
  } rows[] = {
      {first + "layers = [\"a\"]\n" + bound, ""},
      {first + "layers = [\"c\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + "layers = [\"c\"]\noptional = true\n" + bound, ""},
      {first + "cases = [\"code\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + "dtypes = [\"float16\"]\n" + bound, "p.toml:2: the rule matches no tap"},
      {first + bound + "[[rule]]\nreason = \"r\"\nlayers = [\"a\"]\n" + bound,
       "p.toml:7: the rule judges no tap: all that it matches are judged by p.toml:2"},
      {first + "layers = [\"a\"]\n" + bound + "[[rule]]\nreason = \"r\"\n" + bound, ""},
      {first + "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 1e-3\n",
       "p.toml:4: a fail limit of 0.001 on nrmse is below half a unit roundoff of bfloat16"},
      {"name = \"p\"\n" + logits + kl, ""},
      {"name = \"p\"\n" + logits + "layers = [\"a\"]\n" + kl,
       "p.toml:2: the rule matches no logits"},
      {"name = \"p\"\n" + logits + "cases = [\"code\"]\n" + kl,
       "p.toml:2: the rule matches no logits"},
  };
  for (const auto& row : rows) {
    const std::string message = objection(parse_policy(row.text, "p.toml"));
    EXPECT_EQ(message.rfind(row.message, 0), 0U) << row.text << "\n" << message;
    EXPECT_EQ(message.empty(), row.message.empty()) << row.text << "\n" << message;
  }
  EXPECT_EQ(objection(default_rules()), "");
}

TEST(CheckMeasured, RefusesBoundsOnWhatIsNotMeasured) {
  const RuleBook introduced =
      book_with("", "[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = 0.1\n");
  const RuleBook ratio = book_with("", "[[rule.bound]]\nmetric = \"truth.ratio\"\nfail = 2\n");
  EXPECT_NO_THROW(check_measured(introduced, Measured::yes, Measured::no));
  EXPECT_THROW(check_measured(introduced, Measured::no, Measured::yes), Error);
  EXPECT_NO_THROW(check_measured(ratio, Measured::no, Measured::yes));
  EXPECT_THROW(check_measured(ratio, Measured::yes, Measured::no), Error);
  EXPECT_NO_THROW(check_measured(default_rules(), Measured::no, Measured::no));
}

TEST(CheckMeasured, LeavesOptionalBoundsAside) {
  const std::string nrmse = "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n";
  for (const char* metric : {"introduced.nrmse", "truth.ratio"}) {
    const RuleBook book = book_with(
        "", nrmse + fmt::format("[[rule.bound]]\nmetric = \"{}\"\nfail = {}\noptional = true\n",
                                metric, metric[0] == 't' ? 2 : 0.1));
    EXPECT_NO_THROW(check_measured(book, Measured::no, Measured::no)) << metric;
  }
}

/// The message of check_against for one tap of 1000 elements, and one of 20 logits of 50 positions.
std::string objection_to_count(const std::string& metric, double limit) {
  const bool of_logits = metric.find("flips") != std::string::npos;
  const std::string sound = of_logits ? "[[logits.bound]]\nmetric = \"kl.max\"\nfail = 0.1\n"
                                      : "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n";
  const RuleBook book = parse_policy(
      fmt::format("name = \"p\"\n[[{0}]]\nreason = \"r\"\n{1}[[{0}.bound]]\nmetric = \"{2}\"\n"
                  "fail = {3}\n",
                  of_logits ? "logits" : "rule", sound, metric, limit),
      "p.toml");
  RuleSubject tap{module("a"), DType::float32, "prose"};
  tap.elements = 1000;
  RuleSubject smaller = tap;
  smaller.elements = 10;
  const run::TapId output{TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  RuleSubject logits{output, DType::float32, "prose", run::Role::logits, 1000, 50};
  RuleSubject step = logits;
  step.tap.call = 1;
  step.positions = 5;
  try {
    check_against(book, {tap, smaller, logits, step});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CheckAgainst, RefusesCountsThatNoTapCouldExceed) {
  for (const char* metric :
       {"unequal", "where.outside", "classes.zero_sign", "introduced.unequal"}) {
    EXPECT_EQ(objection_to_count(metric, 999), "") << "the largest tap could exceed it";
    const std::string message = objection_to_count(metric, 1000);
    EXPECT_EQ(message.rfind("p.toml:7: a fail limit of 1000 on ", 0), 0U) << message;
    EXPECT_NE(message.find("more than 1000 elements"), std::string::npos) << message;
  }
  for (const char* metric : {"flips", "decided_flips"}) {
    EXPECT_EQ(objection_to_count(metric, 54), "") << "a decode is judged as a whole too";
    const std::string message = objection_to_count(metric, 55);
    EXPECT_EQ(message.rfind("p.toml:7: ", 0), 0U) << message;
    EXPECT_NE(message.find("more than 55 positions"), std::string::npos) << message;
  }
}

/// Each rule was once compared with every other, and every glob taken apart anew for each tap: 12 s
/// for this. How long it takes is in the test's properties.
TEST(CheckAgainst, KnowsItsWayAmongThousandsOfRules) {
  std::string text = "name = \"p\"\n";
  for (int i = 0; i < 20000; ++i) {
    text += fmt::format(
        "[[rule]]\nlayers = [\"model.layers.{}.*.proj\"]\noptional = true\nreason = \"r\"\n"
        "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.5\n",
        i);
  }
  std::vector<RuleSubject> taps;
  for (int i = 0; i < 500; ++i)
    taps.push_back(
        {module(fmt::format("model.layers.{}.mlp.proj", 19500 + i)), DType::float32, "c"});
  const auto start = std::chrono::steady_clock::now();
  const RuleBook book = parse_policy(text, "p.toml");
  const std::chrono::duration<double> parsed = std::chrono::steady_clock::now() - start;
  check_against(book, taps);
  const std::chrono::duration<double> checked = std::chrono::steady_clock::now() - start - parsed;
  RecordProperty("parsed_ms", static_cast<int>(1000 * parsed.count()));
  RecordProperty("checked_ms", static_cast<int>(1000 * checked.count()));
  EXPECT_EQ(find_rule(book, {taps.back().tap, DType::float32, taps.back().case_name}),
            &book.taps[19999]);
}

}  // namespace
}  // namespace parity::gate

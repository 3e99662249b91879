// Policy files that are read, and the longer list of those that are refused, each with its line.
#include "gate/policy_file.h"

#include <string>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/metrics.h"
#include "gate/policy_text.h"
#include "gate/rule_check.h"

namespace parity::gate {
namespace {

using tensor::DType;

const std::string kBound = "[[rule.bound]]\nmetric = \"nrmse\"\nwarn = 0.02\nfail = 0.1\n";
const std::string kHead = "name = \"nightly\"\n[[rule]]\nreason = \"measured\"\n";

TEST(PolicyFile, ReadsEveryKey) {
  const RuleBook book = parse_policy(R"(name = "mi300"
base = "none"
truth_factors = { bfloat16 = 4 }
[[rule]]
layers = ["model.layers.*.self_attn/**", "lm_head"]
kinds = ["op", "module"]
ops = ["aten.softmax"]
dtypes = ["bfloat16"]
cases = ["prose*"]
optional = true
reason = "other kernels"
truth_factor = 3
[[rule.bound]]
metric = "ulp.p99"
warn = 4
fail = 16
reason = "ten nights"
[[rule.bound]]
metric = "introduced.nrmse"
fail = 1e-3
optional = true
[[rule.bound]]
metric = "truth.ratio"
fail = 2
[[logits]]
cases = ["code"]
reason = "code must not change"
[[logits.bound]]
metric = "decided_flips"
fail = 0
)",
                                     "a/mi300.toml");
  EXPECT_EQ(book.name, "mi300");
  EXPECT_EQ(book.truth_factors.at(DType::bfloat16), 4);
  EXPECT_EQ(book.truth_factors.at(DType::float32), 2) << "what is not said stays";
  ASSERT_EQ(book.taps.size(), 1U);
  const Rule& rule = book.taps[0];
  EXPECT_EQ(rule.id, "mi300.toml:4");
  EXPECT_EQ(rule.selector.layers,
            (std::vector<run::Glob>{"model.layers.*.self_attn/**", "lm_head"}));
  EXPECT_EQ(rule.selector.kinds, (std::vector{run::TapKind::op, run::TapKind::module}));
  EXPECT_EQ(rule.selector.ops, std::vector<run::Glob>{"aten.softmax"});
  EXPECT_EQ(rule.selector.dtypes, std::vector{DType::bfloat16});
  EXPECT_EQ(rule.selector.cases, std::vector<run::Glob>{"prose*"});
  EXPECT_EQ(rule.presence, Presence::optional);
  EXPECT_EQ(rule.reason, "other kernels");
  EXPECT_EQ(rule.truth_factor, 3);
  ASSERT_EQ(rule.bounds.size(), 3U);
  EXPECT_EQ(rule.bounds[0].metric, "ulp.p99");
  EXPECT_EQ(rule.bounds[0].warn, 4);
  EXPECT_EQ(rule.bounds[0].fail, 16);
  EXPECT_EQ(rule.bounds[0].origin, "ten nights");
  EXPECT_EQ(rule.bounds[0].line, 13);
  EXPECT_EQ(rule.bounds[1].warn, 1e-3) << "without a warn limit, that of fail";
  EXPECT_EQ(rule.bounds[1].origin, "other kernels") << "without a reason, that of the rule";
  ASSERT_EQ(book.logits.size(), 1U);
  EXPECT_EQ(rule.bounds[0].presence, Presence::required);
  EXPECT_EQ(rule.bounds[1].presence, Presence::optional);
  EXPECT_EQ(rule.bounds[2].presence, Presence::required);
  EXPECT_EQ(book.logits[0].id, "mi300.toml:25");
}

TEST(PolicyFile, AcceptsWhatCanJudge) {
  const struct {
    std::string what;
    std::string text;
    std::size_t rules;
  } rows[] = {
      {"the built-in rules behind", kHead + kBound, 1 + default_rules().taps.size()},
      {"no base", "base = \"none\"\n" + kHead + kBound, 1},
      {"equal values asked for", kHead + "[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0\n",
       1 + default_rules().taps.size()},
      {"what a layer introduces may be far below a rounding",
       kHead + "dtypes = [\"bfloat16\"]\n[[rule.bound]]\nmetric = \"introduced.nrmse\"\nfail = "
               "1e-5\n",
       1 + default_rules().taps.size()},
      {"a lower limit of 0 beside one that can fail",
       kHead + kBound + "[[rule.bound]]\nmetric = \"cosine\"\nwarn = 0.9\nfail = 0\n",
       1 + default_rules().taps.size()},
      {"logits alone",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = \"kl.max\"\nfail = "
       "0.1\n",
       default_rules().taps.size()},
      {"integers as limits", kHead + "[[rule.bound]]\nmetric = \"ulp.max\"\nwarn = 2\nfail = 8\n",
       1 + default_rules().taps.size()},
  };
  for (const auto& row : rows)
    EXPECT_EQ(parse_policy(row.text, "p.toml").taps.size(), row.rules) << row.what;
}

struct Rejected {
  std::string what;
  std::string text;
  std::string place;    ///< "p.toml:LINE: "
  std::string message;  ///< a part of it
};

void expect_rejected(const Rejected& row) {
  try {
    (void)parse_policy(row.text, "p.toml");
    ADD_FAILURE() << row.what << " was accepted";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(error.kind(), ErrorKind::usage) << row.what;
    EXPECT_EQ(message.rfind(row.place, 0), 0U) << row.what << ": " << message;
    EXPECT_NE(message.find(row.message), std::string::npos) << row.what << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << row.what << ": " << message;
  }
}

/// A rule whose only bound, in line 4, is this.
std::string with_bound(const std::string& metric, const std::string& limits) {
  return kHead + "[[rule.bound]]\nmetric = \"" + metric + "\"\n" + limits + "\n";
}

TEST(PolicyFile, RefusesWrongForm) {
  const Rejected rows[] = {
      {"no TOML", "name = \"n\"\nrule = [[[\n", "p.toml:", "this is no TOML"},
      {"a key twice", "name = \"n\"\nname = \"m\"\n", "p.toml:2: ", "this is no TOML"},
      {"nothing", "", "p.toml:1: ", "has no name"},
      {"no rule", "name = \"n\"\n", "p.toml:1: ", "has no rule"},
      {"no rule and no base", "name = \"n\"\nbase = \"none\"\n", "p.toml:1: ", "has no rule"},
      {"an empty name", "name = \"\"\n", "p.toml:1: ", "name of the policy is empty"},
      {"a name of another type", "name = 3\n", "p.toml:1: ", "must be a text"},
      {"an unknown base", "name = \"n\"\nbase = \"mine\"\n", "p.toml:2: ", "known are default"},
      {"an unknown key", "name = \"n\"\nversion = 1\n", "p.toml:2: ", "unknown key 'version'"},
      {"one bracket", "name = \"n\"\n[rule]\nreason = \"r\"\n", "p.toml:2: ", "two brackets"},
      {"rules that are texts", "name = \"n\"\nrule = [\"a\"]\n", "p.toml:2: ", "table of keys"},
      {"an unknown key of a rule", kHead + "layer = [\"a\"]\n" + kBound,
       "p.toml:4: ", "unknown key 'layer' in [[rule]]"},
      {"an unknown key of a bound", kHead + kBound + "limit = 2\n",
       "p.toml:8: ", "unknown key 'limit' in [[rule.bound]]"},
      {"layers that are a text", kHead + "layers = \"a\"\n" + kBound,
       "p.toml:4: ", "must be a list"},
      {"layers that are numbers", kHead + "layers = [1]\n" + kBound,
       "p.toml:4: ", "must be a list of texts"},
      {"an empty list", kHead + "layers = []\n" + kBound, "p.toml:4: ", "empty list"},
      {"an empty glob", kHead + "layers = [\"\"]\n" + kBound, "p.toml:4: ", "empty text"},
      {"a glob twice", kHead + "layers = [\"a\", \"a\"]\n" + kBound, "p.toml:4: ", "'a' twice"},
      {"an open set", kHead + "layers = [\"a[1\"]\n" + kBound, "p.toml:4: ", "no ']' closes"},
      {"a range that runs backwards", kHead + "layers = [\"a[z-a]\"]\n" + kBound,
       "p.toml:4: ", "has the range z-a, which runs backwards"},
      {"a range that runs backwards among others", kHead + "cases = [\"[!0-9b-a]*\"]\n" + kBound,
       "p.toml:4: ", "has the range b-a"},
      {"an unknown kind", kHead + "kinds = [\"layer\"]\n" + kBound,
       "p.toml:4: ", "known are module, op, output"},
      {"an unknown dtype", kHead + "dtypes = [\"bf16\"]\n" + kBound, "p.toml:4: ", "bfloat16"},
      {"optional as text", kHead + "optional = \"yes\"\n" + kBound, "p.toml:4: ", "true or false"},
      {"what is measured, not judged",
       kHead + "element = { relative = 0.1, of_rms = 0.05 }\n" + kBound,
       "p.toml:4: ", "unknown key 'element'"},
      {"no reason", "name = \"n\"\n[[rule]]\n" + kBound, "p.toml:2: ", "has no reason"},
      {"an empty reason", "name = \"n\"\n[[rule]]\nreason = \"\"\n" + kBound,
       "p.toml:3: ", "reason of [[rule]] is empty"},
      {"a rule for logits without a reason",
       "name = \"n\"\n[[logits]]\n[[logits.bound]]\nmetric = \"kl.max\"\nfail = 1\n",
       "p.toml:2: ", "has no reason"},
      {"a dtype of logits", "name = \"n\"\n[[logits]]\nreason = \"r\"\ndtypes = [\"float32\"]\n",
       "p.toml:4: ", "unknown key 'dtypes' in [[logits]]"},
      {"a truth factor below 1", kHead + "truth_factor = 0.5\n" + kBound,
       "p.toml:2: ", "better than the reference"},
      {"a truth factor of an unknown dtype", "name = \"n\"\n[truth_factors]\nfloat31 = 2\n",
       "p.toml:3: ", "no dtype 'float31'"},
      {"a truth factor that lets anything pass", "name = \"n\"\n[truth_factors]\nfloat32 = inf\n",
       "p.toml:3: ", "lets anything pass"},
      {"a truth factor of another type", "name = \"n\"\n[truth_factors]\nfloat32 = \"2\"\n",
       "p.toml:3: ", "must be a number"},
  };
  for (const Rejected& row : rows) expect_rejected(row);
}

TEST(PolicyFile, RefusesBoundsThatCannotJudge) {
  const Rejected rows[] = {
      {"no bound", kHead, "p.toml:2: ", "has no bound"},
      {"no metric", kHead + "[[rule.bound]]\nfail = 1\n", "p.toml:4: ", "has no metric"},
      {"no fail limit", with_bound("nrmse", "warn = 0.1"), "p.toml:4: ", "has no fail limit"},
      {"an unknown metric", with_bound("rmse", "fail = 0.1"), "p.toml:4: ", "no metric 'rmse'"},
      {"an unknown introduced metric", with_bound("introduced.rmse", "fail = 0.1"),
       "p.toml:4: ", "no metric 'introduced.rmse'"},
      {"logits metric on taps", with_bound("kl.max", "fail = 0.1"),
       "p.toml:4: ", "under [[logits]]"},
      {"tap metric on logits",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = \"nrmse\"\nfail = "
       "0.1\n",
       "p.toml:4: ", "under [[rule]]"},
      {"truth.ratio on logits",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = \"truth.ratio\"\nfail "
       "= 2\n",
       "p.toml:4: ", "under [[rule]]"},
      {"a limit as text", with_bound("nrmse", "fail = \"0.1\""), "p.toml:6: ", "must be a number"},
      {"NaN", with_bound("nrmse", "fail = nan"), "p.toml:4: ", "0 or more"},
      {"NaN as warn", with_bound("nrmse", "warn = nan\nfail = 0.1"), "p.toml:4: ", "0 or more"},
      {"negative", with_bound("nrmse", "warn = -0.1\nfail = 0.1"), "p.toml:4: ", "0 or more"},
      {"warn beyond fail", with_bound("nrmse", "warn = 0.2\nfail = 0.1"),
       "p.toml:4: ", "swap them"},
      {"warn beyond fail where lower is worse", with_bound("exact_share", "warn = 0.5\nfail = 0.9"),
       "p.toml:4: ", "swap them"},
      {"infinite", with_bound("ulp.max", "fail = inf"), "p.toml:4: ", "lets anything pass"},
      {"nrmse of 1", with_bound("nrmse", "fail = 1"), "p.toml:4: ", "a tensor of zeros"},
      {"introduced nrmse of 1", with_bound("introduced.nrmse", "fail = 1.0"),
       "p.toml:4: ", "a tensor of zeros"},
      {"a median relative error of 1", with_bound("relative.p50", "fail = 1"),
       "p.toml:4: ", "a tensor of zeros"},
      {"a share of 1", with_bound("where.share", "fail = 1"), "p.toml:4: ", "every element"},
      {"errors of any size", with_bound("max_error_over_rms", "fail = 1e300"),
       "p.toml:4: ", "a thousand times"},
      {"errors as large as the values", with_bound("max_error_over_rms", "fail = 8"),
       "p.toml:2: ", "lets anything pass"},
      {"any factor and any sign", with_bound("relative.max", "fail = 50"),
       "p.toml:2: ", "lets anything pass"},
      {"an absolute error alone", with_bound("absolute.max", "fail = 0.5"),
       "p.toml:2: ", "lets anything pass"},
      {"a count that may be all", with_bound("unequal", "fail = 1000000"),
       "p.toml:2: ", "lets anything pass"},
      {"zeros of another sign alone", with_bound("classes.zero_sign", "fail = 0"),
       "p.toml:2: ", "lets anything pass"},
      {"more steps than a dtype has",
       kHead + "dtypes = [\"float16\"]\n" + kBound +
           "[[rule.bound]]\nmetric = \"ulp.max\"\nfail = 32768\n",
       "p.toml:9: ", "float16 has fewer values"},
      {"steps of any size", with_bound("ulp.p50", "fail = 1e9"),
       "p.toml:2: ", "lets anything pass"},
      {"steps that no dtype has", with_bound("ulp.max", "fail = 1e300"),
       "p.toml:4: ", "no dtype has as many values"},
      {"a lower limit of 0",
       kHead + kBound + "[[rule.bound]]\nmetric = \"exact_share\"\nfail = 0\n",
       "p.toml:8: ", "the metric is 0 at worst"},
      {"logits that agree by chance",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = "
       "\"top1_agreement\"\nfail = 0\n[[logits.bound]]\nmetric = \"kl.max\"\nfail = 0.1\n",
       "p.toml:4: ", "the metric is 0 at worst"},
      {"a warn limit that nothing keeps to",
       kHead + kBound + "[[rule.bound]]\nmetric = \"exact_share\"\nwarn = 1.5\nfail = 0.5\n",
       "p.toml:8: ", "never be kept"},
      {"optional on what is always measured",
       kHead + kBound + "[[rule.bound]]\nmetric = \"ulp.max\"\nfail = 4\noptional = true\n",
       "p.toml:8: ", "every comparison measures ulp.max"},
      {"optional bounds alone", with_bound("introduced.nrmse", "fail = 0.1\noptional = true"),
       "p.toml:2: ", "may not be there"},
      {"a truth ratio of any size", with_bound("truth.ratio", "fail = 1e6"),
       "p.toml:4: ", "further from the truth"},
      {"a truth factor of any size", kHead + "truth_factor = 1e300\n" + kBound,
       "p.toml:2: ", "from 1 to 100"},
      {"logits of a guess",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = \"kl.max\"\nfail = "
       "20\n",
       "p.toml:4: ", "a guess among all tokens"},
      {"logits that any answer keeps to",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = \"kl.mean\"\nfail = "
       "3\n",
       "p.toml:2: ", "lets anything pass"},
      {"an unreachable share", with_bound("exact_share", "fail = 1.5"),
       "p.toml:4: ", "never be kept"},
      {"cosine alone", with_bound("cosine", "fail = 0.999"), "p.toml:2: ", "twice too large"},
      {"only what cannot fail", with_bound("exact_share", "warn = 0.9\nfail = 0"),
       "p.toml:2: ", "lets anything pass"},
      {"logits that cannot fail",
       "name = \"n\"\n[[logits]]\nreason = \"r\"\n[[logits.bound]]\nmetric = "
       "\"top1_agreement\"\nwarn = 0.9\nfail = 0\n",
       "p.toml:2: ", "lets anything pass"},
      {"a truth ratio below 1", with_bound("truth.ratio", "warn = 0.5\nfail = 2"),
       "p.toml:4: ", "better than the reference"},
      {"below the spacing of bfloat16",
       kHead + "dtypes = [\"bfloat16\"]\n[[rule.bound]]\nmetric = \"nrmse\"\nfail = 0.001\n",
       "p.toml:5: ", "half a unit roundoff of bfloat16"},
      {"below the coarsest spacing",
       kHead + "dtypes = [\"float32\", \"float16\"]\n[[rule.bound]]\nmetric = "
               "\"max_error_over_rms\"\nfail = 1e-6\n",
       "p.toml:5: ", "half a unit roundoff of float16"},
      {"a whole number that no float64 has", with_bound("nrmse", "fail = 9223372036854775807"),
       "p.toml:4: ", "a fail limit of 9.22"},
      {"half an ulp", with_bound("ulp.p50", "fail = 0.5"), "p.toml:4: ", "smallest difference"},
      {"half an element", with_bound("unequal", "fail = 0.5"), "p.toml:4: ", "counts elements"},
      {"a metric twice", kHead + kBound + kBound, "p.toml:8: ", "a bound on nrmse already"},
      {"a rule twice", kHead + kBound + "[[rule]]\nreason = \"r\"\n" + kBound,
       "p.toml:8: ", "the same taps as p.toml:2"},
  };
  for (const Rejected& row : rows) expect_rejected(row);
}

/// Whatever can be bounded: a limit that any finite result keeps to is refused by the line of its
/// bound, on what a layer introduces as well, and beside a bound that can fail.
TEST(PolicyFile, RefusesLimitsOfAnySizeOnEveryMetric) {
  const auto rejected = [](const std::string& metric, const std::string& limits,
                           const std::string& table) {
    const std::string sound = table == "rule" ? kBound
                                              : "[[logits.bound]]\nmetric = \"decided_flips\"\n"
                                                "warn = 0\nfail = 0\n";
    const std::string text = "name = \"n\"\n[[" + table + "]]\nreason = \"r\"\n" + sound + "[[" +
                             table + ".bound]]\nmetric = \"" + metric + "\"\n" + limits + "\n";
    expect_rejected({metric + " " + limits, text, "p.toml:8: ", ""});
  };
  const auto rejects_all = [&](const auto& metric, const std::string& name,
                               const std::string& table) {
    if (name == "nrmse" || name == "decided_flips") return;  // the bound beside it
    if (metric.direction == Direction::lower_is_worse) {
      if (name != "cosine") rejected(name, "fail = 0", table);
      rejected(name, "fail = 1.5", table);
    } else {
      for (const char* limits : {"fail = 1e300", "fail = inf", "fail = 9223372036854775807",
                                 "warn = 1e-3\nfail = 1e300"})
        rejected(name, limits, table);
    }
  };
  for (const TensorMetric& metric : tensor_metrics()) {
    const std::string name(metric.name);
    // On a scale of their own, 9e18 may be a limit.
    if (name.rfind("absolute.", 0) == 0) {
      rejected(name, "fail = 1e300", "rule");
      continue;
    }
    rejects_all(metric, name, "rule");
    rejects_all(metric, "introduced." + name, "rule");
  }
  for (const LogitsMetric& metric : logits_metrics())
    rejects_all(metric, std::string(metric.name), "logits");
  rejected("truth.ratio", "fail = 1e300", "rule");
}

TEST(PolicyFile, RefusesAFileThatCannotBeRead) {
  EXPECT_THROW((void)read_policy("/no/such/policy.toml"), Error);
  EXPECT_THROW((void)read_policy("/"), Error) << "a folder";
  EXPECT_THROW((void)read_policy("/dev/zero"), Error);
}

TEST(PolicyFile, NamesEachRuleOfALine) {
  const RuleBook book = parse_policy(
      "name = \"n\"\nbase = \"none\"\nrule = [{layers = [\"a\"], reason = \"r\", bound = [{metric "
      "= "
      "\"nrmse\", fail = 0.5}]}, {layers = [\"b\"], reason = \"r\", bound = [{metric = \"nrmse\", "
      "fail = 0.25}]}]\n",
      "p.toml");
  ASSERT_EQ(book.taps.size(), 2U);
  EXPECT_EQ(book.taps[0].id, "p.toml:3");
  EXPECT_EQ(book.taps[1].id.rfind("p.toml:3:", 0), 0U) << book.taps[1].id;
}

void expect_same(const std::vector<Rule>& one, const std::vector<Rule>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].selector, other[i].selector) << one[i].id;
    EXPECT_EQ(one[i].presence, other[i].presence) << one[i].id;
    EXPECT_EQ(one[i].reason, other[i].reason);
    EXPECT_EQ(one[i].truth_factor, other[i].truth_factor) << one[i].id;
    ASSERT_EQ(one[i].bounds.size(), other[i].bounds.size()) << one[i].id;
    for (std::size_t b = 0; b < one[i].bounds.size(); ++b) {
      EXPECT_EQ(one[i].bounds[b].metric, other[i].bounds[b].metric) << one[i].id;
      EXPECT_EQ(one[i].bounds[b].warn, other[i].bounds[b].warn) << one[i].id;
      EXPECT_EQ(one[i].bounds[b].fail, other[i].bounds[b].fail) << one[i].id;
      EXPECT_EQ(one[i].bounds[b].origin, other[i].bounds[b].origin) << one[i].id;
      EXPECT_EQ(one[i].bounds[b].presence, other[i].bounds[b].presence) << one[i].id;
    }
  }
}

TEST(PolicyText, IsReadBackAsTheSamePolicyBitByBit) {
  RuleBook odd = default_rules();
  odd.taps[0].reason = "a \"quote\", a \\ and a\ttab\n";
  odd.taps[1].truth_factor = 1.1;
  odd.taps[2].bounds[0].fail = 1.0 / 3;
  odd.truth_factors[DType::float32] = 1e1;
  odd.taps[3].bounds.push_back({"truth.ratio", 2, 4, "seen", 0, Presence::optional});
  for (const RuleBook& book : {default_rules(), odd}) {
    const RuleBook again = parse_policy(to_toml(book), "again.toml");
    EXPECT_EQ(again.name, book.name);
    EXPECT_EQ(again.truth_factors, book.truth_factors);
    expect_same(again.taps, book.taps);
    expect_same(again.logits, book.logits);
  }
}

}  // namespace
}  // namespace parity::gate

// Bounds from measurement: what they pass, what they refuse, and what each number stands on.
#include "gate/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/calibration_remarks.h"
#include "gate/made_facts.h"
#include "gate/metrics.h"
#include "gate/policy_file.h"

namespace parity::gate {
namespace {

using run::Verdict;
using tensor::DType;

constexpr double kFloat32 = 5.9604644775390625e-8;

run::TapId module(const std::string& path) { return {run::TapKind::module, path, "", 0, ""}; }

Spread spread(std::size_t run, const run::TapId& tap, double nrmse, DType dtype = DType::float32) {
  Spread spread;
  spread.run = run;
  spread.case_name = "prose";
  spread.tap = tap;
  spread.dtype = dtype;
  spread.elements = 1000;
  if (nrmse > 0) {
    spread.figures = {
        {"nrmse", nrmse}, {"max_error_over_rms", 4 * nrmse}, {"where.share", 0}, {"ulp.p99", 5}};
  }
  return spread;
}

CalibrationInput two_runs() {
  return {"a.h5: a device",
          {{Variation::recording, "b.h5", "another device"}, {Variation::threads, "1 thread", "x"}},
          {},
          {}};
}

CalibrationChoice choice() {
  CalibrationChoice choice;
  choice.name = "made";
  return choice;
}

const Bound& bound_on(const Rule& rule, const std::string& metric) {
  const auto found = std::find_if(rule.bounds.begin(), rule.bounds.end(),
                                  [&](const Bound& bound) { return bound.metric == metric; });
  EXPECT_NE(found, rule.bounds.end()) << "no bound on " << metric;
  return *found;
}

bool has_bound(const Rule& rule, const std::string& metric) {
  return std::any_of(rule.bounds.begin(), rule.bounds.end(),
                     [&](const Bound& bound) { return bound.metric == metric; });
}

RuleBook read_back(const Calibration& made, const CalibrationInput& input) {
  return parse_policy(to_toml(made.book, remarks_on(made, input, "parity calibrate a.h5", {})),
                      "made.toml");
}

/// The figures of a spread as the facts of a comparison.
compare::TensorComparison facts_of(const Spread& spread) {
  compare::TensorComparison facts = spread.figures.empty()
                                        ? gate_test::identical_facts(spread.dtype)
                                        : gate_test::noisy_facts(0, spread.dtype);
  for (const run::NoiseFigure& figure : spread.figures) {
    if (figure.metric == "nrmse") facts.nrmse = figure.value;
    if (figure.metric == "max_error_over_rms") facts.max_error_over_rms = figure.value;
    if (figure.metric == "where.share") facts.where.share = figure.value;
    if (figure.metric == "ulp.p99") facts.ulp.quantiles.p99 = figure.value;
  }
  return facts;
}

Verdict verdict_of(const RuleBook& book, const Spread& spread) {
  const Limits limits = limits_for(book, {spread.tap, spread.dtype, spread.case_name});
  return judge(facts_of(spread), spread.tap.kind, limits.policy).verdict;
}

std::string message_of(const CalibrationInput& input) {
  try {
    (void)calibrate(input, choice());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return {};
}

TEST(DefaultHeadroom, IsTheQuantileThatTheDocumentationStates) {
  EXPECT_NEAR(default_headroom(1), std::exp2(3.0902), 1e-3);  // z(0.999) - z(0.5)
  EXPECT_NEAR(default_headroom(3), std::exp2(3.0902 - 0.6745), 1e-3);
  EXPECT_NEAR(default_headroom(99), std::exp2(3.0902 - 2.3263), 1e-3);
  EXPECT_EQ(default_headroom(0), default_headroom(1));
  EXPECT_EQ(default_headroom(1000000), 1.5);
}

TEST(DefaultHeadroom, ShrinksWithMoreRuns) {
  for (std::int64_t n = 1; n < 200; ++n) EXPECT_GE(default_headroom(n), default_headroom(n + 1));
}

TEST(Calibration, PutsTheLimitsAboveTheWorstByTheHeadroom) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 5e-7)};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.book.taps.size(), 2U);  // the tap's, and the last one of float32
  const Bound& bound = bound_on(made.book.taps[0], "nrmse");
  const double headroom = default_headroom(2);
  EXPECT_GE(bound.fail, headroom * 2e-6);
  EXPECT_LE(bound.fail, headroom * 2e-6 * 1.1) << "more than two digits' rounding";
  EXPECT_GE(bound.warn, std::sqrt(headroom) * 2e-6);
  EXPECT_LT(bound.warn, bound.fail);
  EXPECT_NE(bound.origin.find("2e-06"), std::string::npos) << bound.origin;
  EXPECT_NE(bound.origin.find("b.h5"), std::string::npos) << bound.origin;
  EXPECT_EQ(made.taps[0].runs, 2);
  EXPECT_EQ(made.taps[0].bounds[0].worst, &input.taps[0]);
  ASSERT_EQ(made.taps[0].bounds[0].variations.size(), 2U);
  EXPECT_EQ(made.taps[0].bounds[0].variations[1].worst, 5e-7);
}

TEST(Calibration, TakesTheHeadroomThatWasTyped) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6)};
  CalibrationChoice typed = choice();
  typed.headroom = 100;
  const Calibration made = calibrate(input, typed);
  EXPECT_NEAR(bound_on(made.book.taps[0], "nrmse").fail, 2e-4, 1e-9);
  EXPECT_NEAR(bound_on(made.book.taps[0], "nrmse").warn, 2e-5, 1e-9);
}

TEST(Calibration, CountsRunsWithTheSameFiguresOnce) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 2e-6)};
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 1);
  input.taps[1].case_name = "code";
  input.taps[1].figures[0].value = 3e-6;
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 2);
  input.taps[1].repeats = 7;
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 8);
}

TEST(Calibration, RunsWithEqualBitsAddNoEvidence) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 2e-6), spread(1, module("fc"), 0)};
  EXPECT_EQ(calibrate(input, choice()).taps[0].runs, 1);
}

TEST(Calibration, RefusesWhereNothingDiffers) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 0)};
  EXPECT_NE(message_of(input).find("nothing to calibrate from"), std::string::npos);
  EXPECT_NE(message_of({}).find("nothing to calibrate from"), std::string::npos);
}

TEST(Calibration, NoLimitIsBelowOneRounding) {
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                            DType::float8_e4m3fn, DType::float8_e5m2, DType::complex64}) {
    const double u = tensor::unit_roundoff(tensor::component(dtype));
    CalibrationInput input = two_runs();
    input.taps = {spread(0, module("embed"), u / 1e6, dtype)};
    const Calibration made = calibrate(input, choice());
    EXPECT_GE(bound_on(made.book.taps[0], "nrmse").warn, u);
    EXPECT_GE(bound_on(made.book.taps[0], "nrmse").fail, 2 * u);
    EXPECT_GE(bound_on(made.book.taps[0], "max_error_over_rms").fail, 64 * u);
    (void)read_back(made, input);  // which refuses a limit below the spacing
  }
}

TEST(Calibration, NamesTapsThatNoBoundCouldTest) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("noise"), 0.8), spread(1, module("noise"), 1e-6),
                spread(0, module("fc"), 1e-6)};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.untestable.size(), 1U);
  EXPECT_EQ(made.untestable[0].tap.path, "noise");
  EXPECT_EQ(made.untestable[0].why, "nrmse is 0.8");
  for (const Rule& rule : made.book.taps) EXPECT_LT(bound_on(rule, "nrmse").fail, 1e-4);
  EXPECT_EQ(verdict_of(read_back(made, input), input.taps[0]), Verdict::diverged);
  input.taps.pop_back();
  EXPECT_NE(message_of(input).find("no bound could tell"), std::string::npos);
}

TEST(Calibration, NamesTapsThatFailUnderEveryPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6), spread(0, module("bad"), 1e-6)};
  input.taps[1].unboundable = "NaN or Inf on one side only";
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.untestable.size(), 1U);
  EXPECT_EQ(made.untestable[0].why, "NaN or Inf on one side only");
}

TEST(Calibration, HoldsALimitWhereHalfTheResultWouldPass) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 0.2)};
  const Calibration made = calibrate(input, choice());
  EXPECT_EQ(bound_on(made.book.taps[0], "nrmse").fail, 0.5);
  EXPECT_NE(made.taps[0].bounds[0].remark.find("half as large"), std::string::npos);
  EXPECT_TRUE(made.taps[0].bounds[0].is_wider);
}

TEST(Calibration, LeavesAMetricOutThatSaysNothing) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-2, DType::bfloat16)};
  input.taps[0].figures[3].value = 64;  // ulp of bfloat16: a quarter of the value
  const Calibration made = calibrate(input, choice());
  EXPECT_FALSE(has_bound(made.book.taps[0], "ulp.p99"));
  EXPECT_TRUE(has_bound(made.book.taps[0], "nrmse"));
  using LeftOut = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(made.taps[0].left_out, (LeftOut{{"ulp.p99", 64}}));
  const PolicyRemarks remarks = remarks_on(made, input, "", {});
  EXPECT_NE(remarks.taps[0].rule[1].find("no bound on ulp.p99"), std::string::npos);
}

TEST(Calibration, CanStayInsideTheBuiltInPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-3)};  // the built-in fail limit is 1.5e-5
  EXPECT_TRUE(calibrate(input, choice()).taps[0].bounds[0].is_wider);
  CalibrationChoice tight = choice();
  tight.width = Width::built_in_at_most;
  const Calibration made = calibrate(input, tight);
  const Bound& bound = bound_on(made.book.taps[0], "nrmse");
  EXPECT_EQ(bound.fail, 256 * kFloat32);
  EXPECT_EQ(bound.warn, 64 * kFloat32);
  for (const RuleEvidence& rule : made.taps) {
    for (const BoundEvidence& one : rule.bounds) EXPECT_FALSE(one.is_wider);
  }
  ASSERT_EQ(made.beyond.size(), 1U);
  EXPECT_NE(made.beyond[0].why.find("is beyond the fail limit"), std::string::npos);
  EXPECT_TRUE(calibrate(input, choice()).beyond.empty());
}

TEST(Calibration, TruthFactorsAreNeverAboveTheBuiltInOnes) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  EXPECT_FALSE(calibrate(input, choice()).book.taps[0].truth_factor);
  for (const auto& [needed, wanted] : std::vector<std::pair<double, double>>{
           {0, 1}, {0.5, 1.5}, {5, 2}, {std::numeric_limits<double>::infinity(), 2}}) {
    input.taps[0].truth_factor = needed;
    EXPECT_NEAR(calibrate(input, choice()).book.taps[0].truth_factor.value(), wanted, 1e-9);
  }
}

TEST(Calibration, EqualIntegersAreLeftToTheBuiltInPolicy) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6), spread(0, module("ids"), 0, DType::int64)};
  EXPECT_EQ(calibrate(input, choice()).book.taps.size(), 2U);
  input.taps[1].figures = {{"unequal", 3}};
  const Calibration made = calibrate(input, choice());
  const Rule& rule = made.book.taps[1];
  EXPECT_EQ(rule.selector.dtypes, std::vector<DType>{DType::int64});
  EXPECT_EQ(bound_on(rule, "unequal").fail, std::ceil(3 * default_headroom(1)));
  EXPECT_TRUE(made.taps[1].bounds[0].is_wider);
  // Other integers are still held to equality.
  const Spread other = spread(0, module("positions"), 0, DType::int64);
  EXPECT_EQ(limits_for(read_back(made, input), {other.tap, DType::int64, "x"}).rule->id,
            "default/int64");
  input.taps[1].elements = 20;
  EXPECT_EQ(calibrate(input, choice()).untestable.size(), 1U);
}

TEST(Calibration, BoundsLogitsByWhatAUserWouldSee) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  Spread logits = spread(0, {run::TapKind::output, "<output>", "", 0, ""}, 1e-6);
  logits.elements = 100;
  logits.figures = {
      {"decided_flips", 0}, {"kl.mean", 1e-8}, {"kl.max", 1e-6}, {"top1_agreement", 1}};
  input.logits = {logits};
  const Calibration made = calibrate(input, choice());
  ASSERT_EQ(made.book.logits.size(), 1U);
  const Rule& rule = made.book.logits[0];
  EXPECT_EQ(bound_on(rule, "decided_flips").fail, 0);
  const double square = std::pow(default_headroom(1), 2);
  EXPECT_NEAR(bound_on(rule, "kl.mean").fail, square * 1e-8, square * 1e-9);
  EXPECT_EQ(bound_on(rule, "top1_agreement").warn, 0.99);
  EXPECT_GT(bound_on(rule, "top1_agreement").fail, 0.9);
  EXPECT_LT(bound_on(rule, "top1_agreement").fail, 0.92);
  // Harm does not grow with headroom.
  input.logits[0].figures[1].value = 1e-4;
  EXPECT_EQ(bound_on(calibrate(input, choice()).book.logits[0], "kl.mean").fail, 1e-3);
  input.logits[0].figures[1].value = 1e-2;
  EXPECT_EQ(bound_on(calibrate(input, choice()).book.logits[0], "kl.mean").fail, 2e-2);
  input.logits[0].figures[2].value = 2;
  EXPECT_TRUE(calibrate(input, choice()).book.logits.empty());
  EXPECT_EQ(calibrate(input, choice()).untestable.at(0).why, "logits: kl.max is 2");
}

TEST(Calibration, AnEqualStepOfADecodeSaysNothingOfAShare) {
  CalibrationInput input = two_runs();
  input.taps = {spread(0, module("fc"), 1e-6)};
  Spread step = spread(0, {run::TapKind::output, "<output>", "", 3, ""}, 0);
  step.elements = 1;
  Spread pooled = spread(0, {run::TapKind::output, "<output>", "", 0, ""}, 0);
  pooled.elements = 100;
  pooled.figures = {{"kl.mean", 1e-8}, {"top1_agreement", 1}};
  input.logits = {step, pooled};
  const Rule rule = calibrate(input, choice()).book.logits.at(0);
  EXPECT_GT(bound_on(rule, "top1_agreement").fail, 0.9);
}

/// Any model and any runs of it, fixed by the seed.
CalibrationInput random_input(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<std::size_t>(random() % n); };
  const auto between = [&](double low, double high) {
    return std::exp2(low + (high - low) * static_cast<double>(random()) / 4294967296.0);
  };
  CalibrationInput input;
  for (std::size_t run = 0; run <= below(4); ++run)
    input.runs.push_back({static_cast<Variation>(below(7)), "run", "here"});
  const std::vector<std::string> names = {"mlp", "attn.q_proj", "we\"ird[1]*", "näme", "a b", ""};
  for (std::size_t layer = 0; layer <= below(12); ++layer) {
    for (const std::string& name : names) {
      const bool is_op = below(4) == 0;
      const DType dtype = below(3) == 0 ? DType::bfloat16 : DType::float32;
      run::TapId tap = module("layers." + std::to_string(layer) + (name.empty() ? "" : "." + name));
      if (is_op) tap = {run::TapKind::op, tap.path, "aten.conv2d", static_cast<int>(below(3)), "0"};
      for (std::size_t run = 0; run < input.runs.size(); ++run) {
        Spread one = spread(run, tap, below(3) == 0 ? 0 : between(-40, -2), dtype);
        if (!one.figures.empty() && below(5) == 0) one.figures[2].value = between(-10, -2);
        if (!one.figures.empty()) one.figures[3].value = std::floor(between(0, 20));
        input.taps.push_back(std::move(one));
      }
    }
  }
  input.taps.push_back(spread(0, module(""), between(-40, -2)));
  return input;
}

TEST(Calibration, PassesEveryRunItWasMadeFromAndIsReadBackAsItIs) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const CalibrationInput input = random_input(seed);
    CalibrationChoice few = choice();
    few.rules = 1 + seed % 12;
    const Calibration made = calibrate(input, few);
    EXPECT_TRUE(made.untestable.empty());
    EXPECT_TRUE(made.beyond.empty());
    const RuleBook book = read_back(made, input);
    for (std::size_t i = 0; i < made.book.taps.size(); ++i) {
      EXPECT_EQ(book.taps[i].selector, made.book.taps[i].selector);
      ASSERT_EQ(book.taps[i].bounds.size(), made.book.taps[i].bounds.size());
      for (std::size_t b = 0; b < book.taps[i].bounds.size(); ++b)
        EXPECT_EQ(book.taps[i].bounds[b].fail, made.book.taps[i].bounds[b].fail);
    }
    for (const Spread& spread : input.taps) {
      const Verdict verdict = verdict_of(book, spread);
      EXPECT_TRUE(verdict == Verdict::within || verdict == Verdict::identical)
          << "seed " << seed << ", " << run::to_string(spread.tap) << ": " << run::name(verdict);
    }
  }
}

TEST(Calibration, FailsWhatIsFurtherOffThanTheHeadroom) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CalibrationInput input = random_input(seed);
    for (Spread& one : input.taps) {
      if (!one.figures.empty()) one.figures[0].value = std::min(one.figures[0].value, 1e-3);
    }
    const Calibration made = calibrate(input, choice());
    const RuleBook book = read_back(made, input);
    for (const Spread& one : input.taps) {
      const Limits limits = limits_for(book, {one.tap, one.dtype, one.case_name});
      Spread worse = one;
      worse.figures = {{"nrmse", bound_on(*limits.rule, "nrmse").fail * 1.01},
                       {"max_error_over_rms", 0}};
      EXPECT_EQ(verdict_of(book, worse), Verdict::diverged) << run::to_string(one.tap);
    }
  }
}

TEST(Calibration, IsTheSameTextForTheSameInput) {
  const CalibrationInput input = random_input(7);
  const auto text = [&] {
    const Calibration made = calibrate(input, choice());
    return to_toml(made.book, remarks_on(made, input, "parity calibrate a.h5", {"a note"}));
  };
  EXPECT_EQ(text(), text());
  EXPECT_EQ(text().rfind("# Calibrated by parity", 0), 0U);
}

TEST(Calibration, GivesADeepModelFewRules) {
  CalibrationInput input = two_runs();
  std::mt19937 random(3);
  for (int layer = 0; layer < 32; ++layer) {
    for (const char* name : {"norm", "q", "k", "v", "o", "attn", "norm2", "gate", "up", "down",
                             "act", "mlp", "add", "drop", "rotary", "mask"}) {
      const double size = std::exp2(-20 + static_cast<double>(random() % 800) / 100);
      input.taps.push_back(
          spread(0, module("model.layers." + std::to_string(layer) + "." + name), size));
    }
  }
  const Calibration made = calibrate(input, choice());
  EXPECT_LE(made.book.taps.size(), kDefaultRules + 1);
  std::size_t globs = 0;
  for (const Rule& rule : made.book.taps) globs += rule.selector.layers.size();
  EXPECT_EQ(globs, 16U);
}

}  // namespace
}  // namespace parity::gate

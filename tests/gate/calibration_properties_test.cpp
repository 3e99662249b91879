// What holds for every calibration, whatever the model and its runs.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "gate/calibration.h"
#include "gate/made_spreads.h"

namespace parity::gate {
namespace {

using run::Verdict;
using tensor::DType;

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

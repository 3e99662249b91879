#include "report/data/calibration.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/words/text.h"

namespace parity::report {
namespace {

CalibratedBound bound(const std::string& metric) {
  CalibratedBound bound;
  bound.metric = metric;
  bound.measured = 1.5e-3;
  bound.variation = "threads";
  bound.run = "1 thread";
  bound.case_name = "prose";
  bound.tap = "model.layers.3.mlp";
  bound.variations = {{"recording", 1e-3}, {"threads", 1.5e-3}};
  bound.warn = 4e-3;
  bound.fail = 0.012;
  bound.built_in = std::pair{0.023, 0.0625};
  return bound;
}

Calibration made() {
  Calibration calibration;
  calibration.policy = "nightly";
  calibration.reference = "a.h5";
  calibration.made_on = "a device";
  calibration.command = "parity calibrate a.h5 b.h5 --out nightly.toml";
  calibration.runs = {{"recording", "b.h5", "NVIDIA H200, PyTorch 2.11.0"}};
  CalibratedRule rule;
  rule.layers = {"model.layers.*.mlp", "model.norm", "lm_head"};
  rule.kind = "module";
  rule.dtype = "bfloat16";
  rule.taps = 6;
  rule.runs = 2;
  rule.headroom = 6.3;
  rule.bounds = {bound("nrmse"), bound("ulp.p99")};
  CalibratedRule logits;
  logits.bounds = {bound("kl.mean")};
  calibration.rules = {rule};
  calibration.logits = {logits};
  return calibration;
}

std::string text_of(const Calibration& calibration, int width = 120) {
  return to_text(calibration, {Show::all, Color::off, width, 0});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CalibrationText, PutsTheBuiltInBoundBesideEachNewOne) {
  const std::string text = text_of(made());
  EXPECT_TRUE(has(text, "model.layers.*.mlp and 2 more, bfloat16: 6 taps, 2 runs differ")) << text;
  EXPECT_TRUE(has(text, "nrmse")) << text;
  EXPECT_TRUE(has(text, "0.0015  threads  0.004  0.012  0.023 / 0.0625")) << text;
  EXPECT_TRUE(has(text, "b.h5: NVIDIA H200, PyTorch 2.11.0"));
  EXPECT_TRUE(has(text, "1 rule for taps and 1 for logits, of which 0 bounds wider than built in"))
      << text;
}

TEST(CalibrationText, MarksWhatIsWiderAndWhatHasNoCounterpart) {
  Calibration calibration = made();
  calibration.rules[0].bounds[0].is_wider = true;
  calibration.rules[0].bounds[1].built_in.reset();
  const std::string text = text_of(calibration);
  EXPECT_TRUE(has(text, "0.0625  wider")) << text;
  EXPECT_TRUE(has(text, "0.012               -")) << text;
  EXPECT_TRUE(has(text, "of which 1 bound wider")) << text;
}

TEST(CalibrationText, SaysWhatCouldNotBeDone) {
  Calibration calibration = made();
  calibration.not_run = {"sdpa efficient: there is no such kernel"};
  calibration.notes = {"every run was made on one device"};
  for (int i = 0; i < 12; ++i)
    calibration.untestable.push_back({"prose", "noise." + std::to_string(i), "nrmse is 0.8"});
  calibration.beyond = {{"code", "lm_head", "nrmse 0.1 is beyond the fail limit 0.06"}};
  const std::string text = text_of(calibration);
  EXPECT_TRUE(has(text, "not run    sdpa efficient: there is no such kernel"));
  EXPECT_TRUE(has(text, "note       every run was made on one device"));
  EXPECT_TRUE(has(text, "  noise.9 of case prose: nrmse is 0.8"));
  EXPECT_FALSE(has(text, "noise.10"));
  EXPECT_TRUE(has(text, "  and 2 more"));
  EXPECT_TRUE(has(text, "lm_head of case code: nrmse 0.1 is beyond"));
}

TEST(CalibrationText, FitsTheTerminalAndObeysNoName) {
  Calibration calibration = made();
  calibration.rules[0].layers = {std::string(300, 'x') + "\x1b[31m"};
  calibration.runs[0].label = "b\x1b.h5";
  calibration.untestable = {{"pr\nose", "t\rap", "w\x07hy"}};
  for (const int width : {60, 100, 200}) {
    const std::string text = text_of(calibration, width);
    EXPECT_EQ(text.find_first_of("\x1b\r\x07"), std::string::npos);
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', start)) {
      EXPECT_LE(display_width(text.substr(start, end - start)), width) << text;
      start = end + 1;
    }
  }
}

TEST(CalibrationJson, HoldsWhatEachBoundWasMadeFrom) {
  Calibration calibration = made();
  calibration.rules[0].bounds[1].run.clear();
  calibration.rules[0].bounds[1].built_in.reset();
  calibration.rules[0].truth_factor = 1.4;
  calibration.rules[0].left_out = {{"where.share", 0.7}};
  const auto json = nlohmann::json::parse(to_json(calibration));
  EXPECT_EQ(json["schema"], "parity-calibration/1");
  const auto& rule = json["rules"][0];
  EXPECT_EQ(rule["layers"].size(), 3U);
  EXPECT_EQ(rule["truth_factor"], 1.4);
  const auto& first = rule["bounds"][0];
  EXPECT_EQ(first["worst"]["tap"], "model.layers.3.mlp");
  EXPECT_EQ(first["variations"]["recording"], 1e-3);
  EXPECT_EQ(first["built_in"]["fail"], 0.0625);
  EXPECT_TRUE(rule["bounds"][1]["worst"].is_null());
  EXPECT_TRUE(rule["bounds"][1]["built_in"].is_null());
  EXPECT_EQ(rule["left_out"]["where.share"], 0.7);
  EXPECT_TRUE(json["logits"][0]["dtype"].is_null());
}

TEST(CalibrationJson, HasNoNumberThatJsonLacks) {
  Calibration calibration = made();
  calibration.rules[0].bounds[0].measured = std::numeric_limits<double>::infinity();
  EXPECT_EQ(nlohmann::json::parse(to_json(calibration))["rules"][0]["bounds"][0]["measured"],
            "inf");
}

}  // namespace
}  // namespace parity::report

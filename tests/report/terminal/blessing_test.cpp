#include "report/data/blessing.h"

#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/made_report.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

Place place(const std::string& path) { return {"prose", {run::TapKind::module, path, "", 0, ""}}; }

Blessing made_blessing() {
  Blessing blessing;
  blessing.before = {"old.h5", "model.pt", "torchscript", {}};
  blessing.after = {"new.h5", "model.pt", "torchscript", {}};
  blessing.policy_name = "default";
  blessing.reasons = {"4 weights not the same", "1 tap diverged"};
  blessing.environment_diff = {{"device.driver", "550", "580"},
                               {"switch.fp32_precision", "ieee", "tf32"}};
  blessing.weights = {{"changed", "layers.*.weight", 4, "layers.0.weight"}};
  blessing.cases = {{"removed", "code", "", ""}, {"truth", "prose", "float64", ""}};
  blessing.taps = {{"reshaped", "layers.*.pool", 4, place("layers.0.pool"), "4x33", "4x64"}};
  blessing.compared = 10;
  blessing.identical = 7;
  blessing.values = {{run::Verdict::diverged, "layers.*.mlp", tensor::DType::bfloat16, 1, 1, 0.25,
                      place("layers.3.mlp"), 300, place("layers.2.mlp"), 1e-3, 1, 0, 1},
                     {run::Verdict::untested,
                      "head",
                      tensor::DType::float32,
                      2,
                      0,
                      0,
                      {},
                      0,
                      {},
                      std::nullopt,
                      0,
                      0,
                      0}};
  blessing.logits = {{place("<output>"), run::Verdict::suspect, 40, 3, 1, 1e-3, 0.5}};
  blessing.changes_entry = "## new.h5: recorded anew\n\n- **What.** 1 tap diverged.\n";
  blessing.repro = "parity bless old.h5 new.h5";
  return blessing;
}

TEST(Blessing, SaysWhatChangesInTheOrderInWhichAReviewerAsks) {
  const std::string text = to_text(made_blessing(), {});
  std::size_t at = 0;
  for (const char* said :
       {"old.h5", "new.h5", "environment (old -> new)", "device.driver: 550 -> 580",
        "! switch.fp32_precision: ieee -> tf32  changes numbers", "4 weights changed: layers.*",
        "case code removed", "case prose: truth float64 -> none", "4 taps reshaped: layers.*.pool",
        "(4x33 -> 4x64)", "values: 7 of 10 taps identical", "layers.*.mlp", "diverged",
        "largest nrmse 2.5e-01 at layers.3.mlp of case prose", "3 flips (1 decided) at 40",
        "## new.h5: recorded anew", "4 weights not the same; 1 tap diverged, exit code 1"}) {
    const std::size_t found = text.find(said, at);
    ASSERT_NE(found, std::string::npos) << said << " in\n" << text;
    at = found;
  }
  EXPECT_NE(text.find("0 better, 1 worse of 1"), std::string::npos) << text;
}

TEST(Blessing, FitsTheWidth) {
  for (const int width : {60, 100, 200}) {
    const std::string text = to_text(made_blessing(), {Show::all, Color::off, width, 0});
    std::size_t start = 0;
    while (start < text.size()) {
      const std::size_t end = text.find('\n', start);
      EXPECT_LE(display_width(text.substr(start, end - start)), width);
      start = end + 1;
    }
  }
}

TEST(Blessing, IsOneJsonDocument) {
  const nlohmann::json json = nlohmann::json::parse(to_json(made_blessing()));
  EXPECT_EQ(json.at("schema"), "parity-bless/1");
  EXPECT_EQ(json.at("values").at(0).at("nrmse_at").at("tap"), "layers.3.mlp");
  EXPECT_TRUE(json.at("values").at(1).at("nrmse").is_null()) << "nothing was measured";
  EXPECT_EQ(json.at("environment_diff").at(1).at("new"), "tf32");
}

TEST(Blessing, LetsNoNameBeAnythingElse) {
  for (const std::string& name : report_test::hostile_names()) {
    Blessing blessing = made_blessing();
    blessing.values[0].layers = blessing.taps[0].layers = blessing.weights[0].names = name;
    blessing.cases[0].case_name = blessing.environment_diff[0].reference = name;
    const std::string text = to_text(blessing, {});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    // In code nothing is a tag or a link.
    const std::string markdown =
        std::regex_replace(to_markdown(blessing), std::regex("`[^`\n]*`"), "");
    EXPECT_EQ(markdown.find("<script"), std::string::npos);
    EXPECT_EQ(markdown.find("[link]("), std::string::npos);
    EXPECT_TRUE(nlohmann::json::accept(to_json(blessing)));
  }
}

}  // namespace
}  // namespace parity::report

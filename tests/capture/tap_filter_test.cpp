#include "capture/tap_filter.h"

#include <string>

#include <gtest/gtest.h>

namespace parity::capture {
namespace {

struct GlobRow {
  const char* glob;
  const char* text;
  bool matches;
};

TEST(Glob, MatchesAsDocumented) {
  const GlobRow rows[] = {
      {"blocks.*", "blocks.3", true},
      {"blocks.*", "blocks.3.mlp", false},
      {"blocks.**", "blocks.3.mlp", true},
      {"**.fc1", "blocks.3.mlp.fc1", true},
      {"**", "", true},
      {"*", "", true},
      {"*", "a.b", false},
      {"blocks.?.mlp", "blocks.3.mlp", true},
      {"blocks.?.mlp", "blocks.12.mlp", false},
      {"a?b", "a.b", false},
      {"blocks.[0-3].mlp", "blocks.2.mlp", true},
      {"blocks.[0-3].mlp", "blocks.5.mlp", false},
      {"blocks.[!0-3].mlp", "blocks.5.mlp", true},
      {"blocks.[!0-3].mlp", "blocks.2.mlp", false},
      {"a[!b]c", "a.c", false},
      {"a[bc", "a[bc", true},
      {"<output>", "<output>", true},
      {"blocks.3", "blocks.30", false},
      {"", "", true},
      {"", "a", false},
      {"attn/aten.*", "attn/aten.softmax", true},
      {"*attn*", "attn/aten.softmax", false},
      {"**attn**", "layers.1.attn/aten.softmax", true},
  };
  for (const GlobRow& row : rows) {
    EXPECT_EQ(run::glob_matches(row.glob, row.text), row.matches) << row.glob << " on " << row.text;
  }
}

TEST(Glob, TakesNoLongerForManyStars) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "*a";
  EXPECT_FALSE(run::glob_matches(glob + "b", std::string(400, 'a')));
  EXPECT_TRUE(run::glob_matches(glob, std::string(400, 'a')));
}

TEST(TapFilter, MatchesThePathOrTheFullName) {
  TapFilter by_path({"layers.0.attn"}, {});
  const run::TapId op{run::TapKind::op, "layers.0.attn", "aten.softmax", 0, ""};
  const run::TapId second_call{run::TapKind::module, "layers.0.attn", "", 1, ""};
  EXPECT_TRUE(by_path.keeps(op));
  EXPECT_TRUE(by_path.keeps(second_call));
  TapFilter by_name({"layers.0.attn/aten.softmax"}, {});
  EXPECT_TRUE(by_name.keeps(op));
  EXPECT_FALSE(by_name.keeps(second_call));
}

TEST(TapFilter, NamesGlobsThatNeverMatched) {
  TapFilter filter({"layers.*", "laeyrs.*"}, {"*.nothing"});
  EXPECT_TRUE(filter.keeps({run::TapKind::module, "layers.0", "", 0, ""}));
  EXPECT_EQ(filter.unmatched(), (std::vector<std::string>{"laeyrs.*", "*.nothing"}));
}

TEST(TapFilter, RemarksThatTheOutputAloneIsLeft) {
  const run::TapId layer{run::TapKind::module, "layers.0", "", 0, ""};
  const run::TapId op{run::TapKind::op, "layers.0", "aten.softmax", 0, ""};
  const run::TapId output{run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  const struct {
    std::vector<std::string> layers, skip;
    std::vector<run::TapId> taps;
    bool remarks;
  } rows[] = {
      {{}, {"**"}, {layer, op, output}, true},
      {{"layers.0"}, {"layers.0"}, {layer, op, output}, true},
      {{"nothing"}, {}, {layer, output}, true},
      {{}, {"**/**"}, {layer, op, output}, false},  // the module is left
      {{}, {}, {layer, output}, false},
      {{}, {"**"}, {output}, false},  // a model without layers lacks none
      {{}, {"**"}, {}, false},
  };
  for (const auto& row : rows) {
    TapFilter filter(row.layers, row.skip);
    for (const run::TapId& tap : row.taps) {
      const bool kept = filter.keeps(tap);
      EXPECT_TRUE(kept || tap.kind != run::TapKind::output);
    }
    EXPECT_EQ(!filter.remark().empty(), row.remarks) << filter.remark();
  }
}

}  // namespace
}  // namespace parity::capture

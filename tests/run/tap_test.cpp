// Tests of tap names.
#include "run/tap.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

struct Row {
  TapId id;
  std::string text;
};

const std::vector<Row> kRows = {
    {{TapKind::module, "blocks.3.mlp.fc1", "", 0, ""}, "blocks.3.mlp.fc1"},
    {{TapKind::module, "blocks.3.mlp.fc1", "", 2, ""}, "blocks.3.mlp.fc1#2"},
    {{TapKind::module, "lstm", "", 0, "1.0"}, "lstm:1.0"},
    {{TapKind::module, "lstm", "", 1, "1.0"}, "lstm#1:1.0"},
    {{TapKind::module, "", "", 0, ""}, ""},
    {{TapKind::output, std::string(kOutputPath), "", 0, ""}, "<output>"},
    {{TapKind::output, std::string(kOutputPath), "", 0, "logits"}, "<output>:logits"},
    {{TapKind::op, "blocks.0.attn", "aten.softmax", 0, ""}, "blocks.0.attn/aten.softmax"},
    {{TapKind::op, "blocks.0.attn", "aten.softmax", 1, ""}, "blocks.0.attn/aten.softmax#1"},
    {{TapKind::op, "", "aten.max", 0, "1"}, "/aten.max:1"},
};

TEST(TapName, LeavesOutTheZeroCallAndTheOnlyPort) {
  for (const Row& row : kRows) EXPECT_EQ(to_string(row.id), row.text);
}

TEST(TapId, IsEqualOnlyWhenEveryPartIs) {
  const TapId id{TapKind::op, "a", "aten.mm", 1, "0"};
  EXPECT_EQ(id, (TapId{TapKind::op, "a", "aten.mm", 1, "0"}));
  EXPECT_NE(id, (TapId{TapKind::module, "a", "aten.mm", 1, "0"}));
  EXPECT_NE(id, (TapId{TapKind::op, "b", "aten.mm", 1, "0"}));
  EXPECT_NE(id, (TapId{TapKind::op, "a", "aten.bmm", 1, "0"}));
  EXPECT_NE(id, (TapId{TapKind::op, "a", "aten.mm", 0, "0"}));
  EXPECT_NE(id, (TapId{TapKind::op, "a", "aten.mm", 1, ""}));
}

TEST(TapKind, NamesRoundTrip) {
  for (const TapKind kind : {TapKind::module, TapKind::op, TapKind::output}) {
    EXPECT_EQ(tap_kind_from_name(name(kind)), kind);
  }
  EXPECT_EQ(name(TapKind::module), "module");
  EXPECT_EQ(name(TapKind::op), "op");
  EXPECT_EQ(name(TapKind::output), "output");
  for (const char* text : {"", "Module", "ops", "unknown"})
    EXPECT_EQ(tap_kind_from_name(text), std::nullopt) << text;
}

}  // namespace
}  // namespace parity::run

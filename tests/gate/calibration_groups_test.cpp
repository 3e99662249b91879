#include "gate/calibration_groups.h"

#include <gtest/gtest.h>

#include "run/glob.h"

namespace parity::gate {
namespace {

using run::TapId;
using run::TapKind;
using tensor::DType;

TEST(PeerGlob, MakesEveryNumberAStar) {
  struct Row {
    TapId tap;
    std::string glob;
  };
  const std::vector<Row> rows = {
      {{TapKind::module, "model.layers.12.mlp", "", 0, ""}, "model.layers.*.mlp"},
      {{TapKind::module, "model.layers.12.mlp", "", 3, "1"}, "model.layers.*.mlp"},
      {{TapKind::module, "layer1.0.conv2", "", 0, ""}, "layer*.*.conv*"},
      {{TapKind::module, "a*b?c[d]", "", 0, ""}, "a[*]b[?]c[[]d]"},
      {{TapKind::module, "", "", 0, ""}, ""},
      {{TapKind::op, "layers.3.attn", "aten.conv2d", 0, ""}, "layers.*.attn/aten.conv2d"},
      {{TapKind::op, "layers.3.attn", "aten.conv2d", 4, "0"}, "layers.*.attn/aten.conv2d#*:*"},
      {{TapKind::op, "", "aten.softmax", 0, ""}, "/aten.softmax"},
      {{TapKind::output, "<output>", "", 0, "1"}, "<output>:1"},
      {{TapKind::output, "<output>", "", 12, ""}, "<output>#*"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(peer_glob(row.tap), row.glob);
    EXPECT_TRUE(row.glob.empty() || run::names_tap(row.glob, row.tap)) << row.glob;
  }
}

TEST(PeerGlob, NamesATapWhoseNameIsNoText) {
  const TapId tap = {TapKind::module, "n\xC3\xA4me.\xFF", "", 0, ""};
  EXPECT_EQ(peer_glob(tap), "n??me.?");
  EXPECT_TRUE(run::names_tap(peer_glob(tap), tap));
}

MeasuredTap tap(const std::string& path, double nrmse, TapKind kind = TapKind::module,
                DType dtype = DType::float32) {
  const std::string op = kind == TapKind::op ? "aten.mm" : "";
  return {{kind, path, op, 0, ""}, dtype, nrmse, 4 * nrmse};
}

std::vector<std::vector<run::Glob>> globs(const std::vector<MeasuredTap>& taps, std::size_t most) {
  std::vector<std::vector<run::Glob>> globs;
  for (const Selector& selector : selectors_for(taps, most)) globs.push_back(selector.layers);
  return globs;
}

using Globs = std::vector<std::vector<run::Glob>>;

TEST(Selectors, PeersShareOneAndKeepTheOrderOfTheRun) {
  EXPECT_EQ(globs({tap("b.0", 1e-3), tap("a.0", 1e-6), tap("b.1", 1e-6), tap("a.1", 1e-5)}, 16),
            (Globs{{"b.*"}, {"a.*"}}));
}

TEST(Selectors, GroupsWithinAFactorOfTwoShareOne) {
  EXPECT_EQ(globs({tap("a", 1e-3), tap("b", 1.9e-3), tap("c", 3.7e-3)}, 16),
            (Globs{{"a", "b"}, {"c"}}));
}

TEST(Selectors, FiguresBelowOneRoundingAreAlike) {
  EXPECT_EQ(globs({tap("a", 0), tap("b", 1e-12)}, 16), (Globs{{"a", "b"}}));
}

TEST(Selectors, TheClosestAreJoinedWhereThereAreTooMany) {
  EXPECT_EQ(globs({tap("a", 1e-6), tap("b", 1e-3), tap("c", 4e-3)}, 2), (Globs{{"a"}, {"b", "c"}}));
  EXPECT_EQ(globs({tap("a", 1e-6), tap("b", 1e-3), tap("c", 4e-3)}, 1), (Globs{{"a", "b", "c"}}));
}

TEST(Selectors, KindsAndDtypesNeverShareOne) {
  EXPECT_EQ(globs({tap("a", 1e-3), tap("b", 1e-3, TapKind::op),
                   tap("c", 1e-3, TapKind::module, DType::bfloat16)},
                  1)
                .size(),
            3U);
}

}  // namespace
}  // namespace parity::gate

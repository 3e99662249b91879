#include "report/words/columns.h"

#include <gtest/gtest.h>

#include "report/words/text.h"

namespace parity::report {
namespace {

std::vector<ColumnSpec> specs() {
  return {{"layer", Align::left, 100},
          {"shape", Align::left, 10},
          {"ulp", Align::right, 50},
          {"verdict", Align::left, 90}};
}

Row row(const std::string& layer) {
  return {"", {{layer}, {"4x128x256"}, {"12"}, {"diverged", Tone::bad}}};
}

TEST(Layout, ShowsEverythingWhereThereIsRoom) {
  const Layout layout(specs(), {row("blocks.3.mlp")}, 80);
  EXPECT_EQ(layout.title_line(Color::off), "  layer         shape      ulp  verdict");
  EXPECT_EQ(layout.line(row("blocks.3.mlp"), Color::off),
            "  blocks.3.mlp  4x128x256   12  diverged");
}

TEST(Layout, DropsTheLeastImportantColumnFirst) {
  const Layout layout(specs(), {row("blocks.3.mlp")}, 36);
  EXPECT_FALSE(layout.shows(1)) << "shape";
  EXPECT_TRUE(layout.shows(2));
  EXPECT_TRUE(layout.shows(3));
  EXPECT_EQ(layout.line(row("blocks.3.mlp"), Color::off), "  blocks.3.mlp   12  diverged");
}

TEST(Layout, LetsANarrowColumnInWhereAWiderOneDoesNotFit) {
  std::vector<ColumnSpec> columns = specs();
  columns[1].importance = 60;  // the shape before the narrower ulp
  const Layout layout(columns, {row("blocks.3.mlp")}, 32);
  EXPECT_FALSE(layout.shows(1)) << "shape";
  EXPECT_TRUE(layout.shows(2)) << "ulp";
}

TEST(Layout, ShortensTheFirstColumnToTheTailsOfItsParts) {
  const std::string path = "model.layers.31.self_attn/aten.scaled_dot_product_attention";
  for (int width = 20; width < 120; ++width) {
    const Layout layout(specs(), {row(path)}, width);
    const std::string line = layout.line(row(path), Color::off);
    EXPECT_LE(display_width(line), std::max(width, 20)) << line;
    EXPECT_NE(line.find("on"), std::string::npos) << "tails tell layers apart: " << line;
    EXPECT_TRUE(width < 40 || line.find("attn/") != std::string::npos) << line;
    EXPECT_TRUE(layout.shows(0));
  }
}

TEST(Layout, PaintsWithoutMovingAnything) {
  const Layout layout(specs(), {row("a")}, 80);
  const std::string painted = layout.line(row("a"), Color::on);
  EXPECT_NE(painted.find("\033[31mdiverged\033[0m"), std::string::npos) << painted;
  std::string plain = painted;
  for (const char* code : {"\033[31m", "\033[0m"})
    plain.erase(plain.find(code), std::string(code).size());
  EXPECT_EQ(plain, layout.line(row("a"), Color::off));
}

}  // namespace
}  // namespace parity::report

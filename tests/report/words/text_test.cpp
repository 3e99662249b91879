#include "report/words/text.h"

#include <gtest/gtest.h>

namespace parity::report {
namespace {

TEST(Text, IsCleanedOfEverythingATerminalObeys) {
  const std::pair<std::string, std::string> rows[] = {
      {"blocks.3.mlp", "blocks.3.mlp"},
      {"größe.层.🙂", "größe.层.🙂"},
      {"\033[31mred\033[0m", "\uFFFD[31mred\uFFFD[0m"},
      {"line\nbreak\ttab\rback", "line\uFFFDbreak\uFFFDtab\uFFFDback"},
      {std::string("nul\0nul", 7), "nul\uFFFDnul"},
      {"\u202Egnissap", "\uFFFDgnissap"},
      {"\u009B31m", "\uFFFD31m"},
      {"\xFF\xFE", "\uFFFD\uFFFD"},
      {"cut \xE5\xB1", "cut \uFFFD\uFFFD"},
      {"overlong \xC0\xAF", "overlong \uFFFD\uFFFD"},
      {"overlong \xE0\x80\xAF", "overlong \uFFFD\uFFFD\uFFFD"},
      {"surrogate \xED\xA0\x80", "surrogate \uFFFD\uFFFD\uFFFD"},
      {"too large \xF4\x90\x80\x80", "too large \uFFFD\uFFFD\uFFFD\uFFFD"},
      {"", ""},
  };
  for (const auto& [raw, expected] : rows) EXPECT_EQ(clean(raw), expected);
}

TEST(Text, IsMeasuredInColumns) {
  const std::pair<std::string, int> rows[] = {{"", 0},     {"abc", 3},     {"größe", 5},
                                              {"层", 2},   {"e\u0301", 1}, {"🙂", 2},
                                              {"→▁█…", 4}, {"\xFF", 1}};
  for (const auto& [text, width] : rows) EXPECT_EQ(display_width(text), width) << text;
}

TEST(Text, IsShortenedWithAnEllipsis) {
  EXPECT_EQ(keep_tail("blocks.3.mlp", 12), "blocks.3.mlp");
  EXPECT_EQ(keep_tail("blocks.3.mlp", 6), "…3.mlp");
  EXPECT_EQ(keep_head("blocks.3.mlp", 7), "blocks…");
  EXPECT_EQ(keep_head("层层层", 4), "层…") << "half a wide character does not fit";
  EXPECT_EQ(keep_tail("层层层", 4), "…层");
  EXPECT_EQ(keep_head("abc", 1), "…");
  EXPECT_EQ(keep_tail("abc", 1), "…");
  EXPECT_EQ(keep_head("abc", 0), "");
  EXPECT_EQ(keep_tail("abc", 0), "");
}

TEST(Text, KeepsTheTailsOfPathAndOp) {
  const std::string name = "model.layers.31.self_attn/aten.scaled_dot_product_attention";
  EXPECT_EQ(keep_tails(name, 26), "…ers.31.self_attn/…tention");
  EXPECT_EQ(keep_tails(name, 40), "model.layers.31.self_attn/…uct_attention");
  EXPECT_EQ(keep_tails(name, 200), name);
  EXPECT_EQ(keep_tails("a/b.c.d.e.f.g.h", 12), "a/…d.e.f.g.h");
  EXPECT_EQ(keep_tails("blocks.3.mlp", 6), "…3.mlp");
  for (int width = 1; width < 70; ++width) EXPECT_LE(display_width(keep_tails(name, width)), width);
}

TEST(Text, IsPaddedByColumns) {
  EXPECT_EQ(pad_right("层", 4), "层  ");
  EXPECT_EQ(pad_left("层", 4), "  层");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Text, IsWrappedAtSpaces) {
  EXPECT_EQ(wrap("one two three", "- ", 9), (std::vector<std::string>{"- one two", "  three"}));
  EXPECT_EQ(wrap("", "- ", 9), (std::vector<std::string>{"- "}));
  EXPECT_EQ(wrap("ab abcdefghij x", "", 4),
            (std::vector<std::string>{"ab", "abcd", "efgh", "ij x"}));
  for (int width = 3; width < 30; ++width) {
    for (const std::string& line :
         wrap("a long reason with averyveryverylongword and 层层层层层层层层", "  ", width)) {
      EXPECT_LE(display_width(line), std::max(width, 4)) << line;
    }
  }
}

TEST(Text, WrapsACommandSoThatItCanBePasted) {
  const auto lines = wrap_command("parity compare 'my model.pt' --json \"a  b\" c\\ d", "$ ", 26);
  EXPECT_EQ(lines, (std::vector<std::string>{"$ parity compare \\", "    'my model.pt' --json \\",
                                             "    \"a  b\" c\\ d"}));
  EXPECT_EQ(wrap_command("parity", "$ ", 80), (std::vector<std::string>{"$ parity"}));
  EXPECT_EQ(wrap_command("a --out /a/very/long/path", "", 10),
            (std::vector<std::string>{"a --out \\", "  /a/very/long/path"}))
      << "a word is never broken";
}

}  // namespace
}  // namespace parity::report

// Globs that are taken apart once: the same answers as letter by letter, whatever stands at their
// ends.
#include "run/glob.h"

#include <gtest/gtest.h>

namespace parity::run {
namespace {

TEST(Glob, MatchesWhatItSays) {
  const struct {
    const char* glob;
    const char* text;
    bool matches;
  } rows[] = {
      {"", "", true},
      {"", "a", false},
      {"a.b", "a.b", true},
      {"a.b", "a.bc", false},
      {"a.b", "a", false},
      {"*", "abc", true},
      {"*", "", true},
      {"*", "a.b", false},
      {"**", "a.b/c", true},
      {"a*", "a", true},
      {"*a", "ba", true},
      {"ab*ba", "aba", false},  // prefix and suffix may not share a letter
      {"ab*ba", "abba", true},
      {"ab*ba", "abxba", true},
      {"ab*ba", "ab.ba", false},
      {"ab**ba", "ab.ba", true},
      {"a.*.c", "a.b.c", true},
      {"a.*.c", "a.b.d.c", false},
      {"a?c", "abc", true},
      {"a?c", "a.c", false},
      {"a?c", "ac", false},
      {"?", "a", true},
      {"?", "", false},
      {"a[0-9]b", "a5b", true},
      {"a[0-9]b", "axb", false},
      {"a[!0-9]", "ax", true},
      {"[", "[", true},
      {"a[b", "a[b", true},
      {"[*]", "*", true},
      {"*.mlp.*_proj", "model.layers.0.mlp.up_proj", false},
      {"**.mlp.*_proj", "model.layers.0.mlp.up_proj", true},
      {"model.layers.*.self_attn/**", "model.layers.3.self_attn/aten.softmax", true},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Glob(row.glob).matches(row.text), row.matches) << row.glob << " on " << row.text;
}

TEST(Glob, IsTheSameAfterACopyAndAMove) {
  Glob first("layers.*.proj");
  const Glob copy = first;
  EXPECT_EQ(copy, first);
  const Glob moved = std::move(first);
  for (const Glob& each : {copy, moved}) {
    EXPECT_TRUE(each.matches("layers.12.proj"));
    EXPECT_FALSE(each.matches("layers.1.2.proj"));
    EXPECT_EQ(each.text(), "layers.*.proj");
  }
  EXPECT_FALSE(copy == Glob("layers.*"));
}

}  // namespace
}  // namespace parity::run

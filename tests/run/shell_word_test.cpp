// What a real shell makes of the words.
#include "run/shell_word.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace parity::run {
namespace {

/// What bash hands to a command that is given `word`.
std::string taken_by_a_shell(const std::string& word) {
  const std::string script = "printf %s " + word;
  std::string command = "bash -c \"$PARITY_SHELL_WORD\"";
  if (setenv("PARITY_SHELL_WORD", script.c_str(), 1) != 0) return "no environment";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string text;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  pclose(pipe);
  return text;
}

TEST(ShellWord, IsTakenForExactlyItsText) {
  for (const std::string text : {"goldens", "/tmp/my $(dir) x", "it's", "a\"b", "back\\slash", "~",
                                 "*", "a;b", "a&b", "$HOME", "`date`", "two\nlines", "tab\there",
                                 "it's\n\\two", "\x7f\x1b[31m", "ünïcode", "!x", "#x"})
    EXPECT_EQ(taken_by_a_shell(shell_word(text)), text) << shell_word(text);
}

TEST(ShellWord, IsQuotedOnlyWhereItHasToBe) {
  EXPECT_EQ(shell_word("/opt/a-b_c.d:e=1,2+3@4%5"), "/opt/a-b_c.d:e=1,2+3@4%5");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("a\nb"), "$'a\\012b'");
}

TEST(ShellPath, IsNoOption) {
  EXPECT_EQ(shell_path("-x"), "./-x");
  EXPECT_EQ(shell_path("-a b"), "'./-a b'");
  EXPECT_EQ(shell_path("a-b"), "a-b");
}

}  // namespace
}  // namespace parity::run

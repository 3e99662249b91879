// Map files: what they say, and a table of those that are refused, with the words of the sentence.
#include "name_map/name_map_file.h"

#include <string>

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::name_map {
namespace {

TEST(ParseNameMap, ReadsRulesInTheOrderOfTheFile) {
  const NameMap map = parse_name_map(R"(leading_dimensions = "any"

[[split]]
candidate = '(.*)\.qkv_proj'
golden = ['$1.q_proj', '$1.k_proj', '$1.v_proj']
groups = 2

[[concat]]
golden = '(.*)\.c_attn'
candidate = ['$1.q', '$1.k']

[[rename]]
candidate = 'model\.(.*)'
golden = '$1'
)",
                                     "vllm.toml");
  EXPECT_EQ(map.file, "vllm.toml");
  EXPECT_EQ(map.leading, LeadingDimensions::any);
  ASSERT_EQ(map.rules.size(), 3U);
  EXPECT_EQ(map.rules[0].kind, RuleKind::split);
  EXPECT_EQ(map.rules[0].line, 3);
  EXPECT_EQ(map.rules[0].groups, 2);
  EXPECT_EQ(map.rules[0].names.size(), 3U);
  EXPECT_EQ(map.rules[1].kind, RuleKind::concat);
  EXPECT_EQ(map.rules[1].pattern.text(), "(.*)\\.c_attn");
  EXPECT_EQ(map.rules[2].kind, RuleKind::rename);
  EXPECT_EQ(map.rules[2].names, std::vector<std::string>{"$1"});
}

struct Refused {
  const char* text;
  const char* words;
};

class RefusedMaps : public testing::TestWithParam<Refused> {};

TEST_P(RefusedMaps, InOneSentenceWithTheLine) {
  try {
    (void)parse_name_map(GetParam().text, "m.toml");
    FAIL() << "accepted: " << GetParam().text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find(GetParam().words), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedMaps,
    testing::Values(
        Refused{"", "m.toml:1: the map has no rule"},
        Refused{"[[rename]\n", "m.toml:1: this is no TOML"},
        Refused{"\n[[rename]]\ncandidate = '(.*'\ngolden = 'a'\n",
                "m.toml:3: '(.*' is no regular expression: a parenthesis is not closed"},
        Refused{"[[rename]]\ncandidate = '[a'\ngolden = 'a'\n", "m.toml:2: '[a' is no regular"},
        Refused{"[[rename]]\ncandidate = '*'\ngolden = 'a'\n",
                "m.toml:2: '*' is no regular expression"},
        Refused{"[[rename]]\ncandidate = 'a{3,2}'\ngolden = 'a'\n", "number of repetitions"},
        Refused{
            "[[rename]]\ncandidate = '(a)\\1'\ngolden = 'a'\n",
            "m.toml:2: '(a)\\1' is no regular expression: there is no such escape, and it cannot "
            "refer back to a group: '\\1'"},
        Refused{"[[rename]]\ncandidate = '(?=a)a'\ngolden = 'a'\n", "cannot look ahead or behind"},
        Refused{"[[rename]]\ncandidate = '(?<!a)b'\ngolden = 'a'\n", "no regular expression"},
        Refused{"[[rename]]\ncandidate = '[[:letter:]]'\ngolden = 'a'\n",
                "no such class of characters: '[:letter:]'"},
        Refused{"[[rename]]\ncandidate = 'a\\'\ngolden = 'a'\n", "behind the last backslash"},
        Refused{"[[rename]]\ncandidate = '((a{999}){999}){999}'\ngolden = 'a'\n",
                "no regular expression"},
        Refused{"[[rename]]\ncandidate = '[z-a]'\ngolden = 'a'\n", "runs backwards"},
        Refused{"[[rename]]\ncandidate = ''\ngolden = 'a'\n",
                "m.toml:2: candidate of [[rename]] is empty"},
        Refused{"[[rename]]\ncandidate = '(a)'\ngolden = '$2'\n",
                "m.toml:3: '$2' asks for group 2 of '(a)', which has 1"},
        Refused{"[[rename]]\ncandidate = 'a'\ngolden = '$'\n", "has a $ that no digit follows"},
        Refused{"[[rename]]\ncandidate = 'a'\n", "m.toml:1: [[rename]] has no golden"},
        Refused{"[[rename]]\ngolden = 'a'\n", "[[rename]] has no candidate"},
        Refused{"[[rename]]\ncandidate = 1\ngolden = 'a'\n", "must be a text in quotes"},
        Refused{"[[rename]]\ncandidate = 'a'\ngolden = 'b'\ngroups = 2\n", "unknown key 'groups'"},
        Refused{"[rename]\ncandidate = 'a'\ngolden = 'b'\n", "two brackets"},
        Refused{"[[move]]\ncandidate = 'a'\ngolden = 'b'\n", "unknown key 'move' in the map"},
        Refused{"[[split]]\ncandidate = 'a'\ngolden = 'b'\n", "a list of two names or more"},
        Refused{"[[split]]\ncandidate = 'a'\ngolden = ['b']\n", "a list of two names or more"},
        Refused{"[[split]]\ncandidate = 'a'\ngolden = ['b', 'b']\n", "has 'b' twice"},
        Refused{"[[split]]\ncandidate = 'a'\ngolden = ['b', 'c']\ngroups = 0\n",
                "m.toml:4: groups of [[split]] must be a whole number from 1"},
        Refused{"[[concat]]\ncandidate = ['a', '$1']\ngolden = 'b'\n", "asks for group 1 of 'b'"},
        Refused{"[[ignore]]\ncandidate = 'a'\ngolden = 'b'\n",
                "unknown key 'golden' in [[ignore]]"},
        Refused{"[[ignore]]\ngolden = 'b'\n", "in [[ignore]]; known are candidate"},
        Refused{"[[leave_out]]\ncandidate = 'b'\n", "in [[leave_out]]; known are golden"},
        Refused{"leading_dimensions = 'some'\n", "m.toml:1: leading_dimensions is 'some'"}));

TEST(ParseNameMap, RefusesAnEndlessExpression) {
  const std::string endless(5000, '(');
  EXPECT_THROW(
      (void)parse_name_map("[[rename]]\ncandidate = '" + endless + "'\ngolden = 'a'\n", "m.toml"),
      Error);
}

TEST(ReadNameMap, RefusesWhatIsNotThere) {
  EXPECT_THROW((void)read_name_map("no such file.toml"), Error);
}

}  // namespace
}  // namespace parity::name_map

// No text gets out of the literal or the comment that it is put into.
#include "model/torch/python_text.h"

#include <gtest/gtest.h>

namespace parity::model {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view text;
  std::string literal;
  std::string comment;
};

TEST(PythonText, StaysALiteralOrAComment) {
  const Row rows[] = {
      {"", "''", ""},
      {"/a b/c.so", "'/a b/c.so'", "/a b/c.so"},
      {"it's", R"('it\'s')", "it's"},
      {R"(back\slash\)", R"('back\\slash\\')", R"(back\slash\)"},
      {"x\nimport os", R"('x\x0aimport os')", R"(x\x0aimport os)"},
      {"x\r\f\t\x1b[31m", R"('x\x0d\x0c\x09\x1b[31m')", R"(x\x0d\x0c\x09\x1b[31m)"},
      {"nul\0del\x7f"sv, R"('nul\x00del\x7f')", R"(nul\x00del\x7f)"},
      {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "'\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80'",
       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
      {"\xff", R"('\udcff')", R"(\udcff)"},
      {"\xe2\x82", R"('\udce2\udc82')", R"(\udce2\udc82)"},
      {"\xc0\x8a", R"('\udcc0\udc8a')", R"(\udcc0\udc8a)"},                  // newline, too long
      {"\xed\xa0\x80", R"('\udced\udca0\udc80')", R"(\udced\udca0\udc80)"},  // surrogate
      {"\xf4\x90\x80\x80", R"('\udcf4\udc90\udc80\udc80')", R"(\udcf4\udc90\udc80\udc80)"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(text_literal(row.text), row.literal);
    EXPECT_EQ(comment_text(row.text), row.comment);
  }
}

}  // namespace
}  // namespace parity::model

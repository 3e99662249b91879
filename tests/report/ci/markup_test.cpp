#include "report/ci/markup.h"

#include <gtest/gtest.h>

namespace parity::report {
namespace {

TEST(Markup, HasNothingInTextThatHtmlWouldObey) {
  struct Row {
    std::string_view text;
    std::string_view written;
  };
  const Row rows[] = {{"plain", "plain"},
                      {"a < b & c > d", "a &lt; b &amp; c &gt; d"},
                      {"</script><img src=x>", "&lt;/script&gt;&lt;img src=x&gt;"},
                      {"\" onclick='x'", "&quot; onclick=&#39;x&#39;"},
                      {"&amp;", "&amp;amp;"},
                      {"line\nbell\a",
                       "line\xEF\xBF\xBD"
                       "bell\xEF\xBF\xBD"},
                      {"broken\xFF", "broken\xEF\xBF\xBD"},
                      {"µ → ü", "µ → ü"}};
  for (const Row& row : rows) EXPECT_EQ(html_escaped(row.text), row.written) << row.text;
}

TEST(Markup, EscapesTextAndAttributesAndClosesWhatIsOpen) {
  Markup page;
  page.open("p", {{"title", "\"<"}, {"class", ""}});
  page.element("code", "<x>").text(" & y").close();
  EXPECT_EQ(page.str(), "<p title=\"&quot;&lt;\"><code>&lt;x&gt;</code> &amp; y</p>\n");
}

TEST(Markup, KeepsAFlagOnOneLine) {
  struct Row {
    std::string_view text;
    std::string_view written;
  };
  const Row rows[] = {
      {"no flag -- here", "no flag <span class=\"flag\">--</span> here"},
      {"allowed by --weights any", "allowed by <span class=\"flag\">--weights</span> any"},
      {"(1 < 2), --a, --b<c>",
       "(1 &lt; 2), <span class=\"flag\">--a</span>, <span class=\"flag\">--b&lt;c&gt;</span>"},
      {"a--b", "a--b"},
      {"", ""}};
  for (const Row& row : rows) EXPECT_EQ(Markup().sentence(row.text).str(), row.written) << row.text;
}

TEST(Markup, EncodesALinkAsBrowsersDo) {
  EXPECT_EQ(percent_encoded("blocks.1/aten.mul#2:0"), "blocks.1%2Faten.mul%232%3A0");
  EXPECT_EQ(percent_encoded("a b\"<>%ü(x)*'!~-_"), "a%20b%22%3C%3E%25%C3%BC(x)*'!~-_");
}

}  // namespace
}  // namespace parity::report

// The cases of a sweep: which sizes, which texts, which names.
#include "cli/sweep.h"

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::cli {
namespace {

using Texts = std::vector<std::string>;

Texts names(const std::vector<pipeline::CaseInput>& cases) {
  Texts texts;
  for (const pipeline::CaseInput& one : cases) texts.push_back(one.name);
  return texts;
}

Texts specs(const std::vector<pipeline::CaseInput>& cases) {
  Texts texts;
  for (const pipeline::CaseInput& one : cases) texts.push_back(one.spec);
  return texts;
}

TEST(Sweep, TakesTheEdgesOfKernels) {
  const std::vector<pipeline::CaseInput> cases = sweep_cases({}, sweep_sizes_of("edges"));
  ASSERT_EQ(cases.size(), 32U);
  EXPECT_EQ(cases.front().spec, "tokens:1x1");
  EXPECT_EQ(cases.back().spec, "tokens:8x1025");
  for (const pipeline::CaseInput& one : cases) {
    EXPECT_EQ(one.name, one.spec);
    EXPECT_EQ(one.need, pipeline::Need::optional);
  }
}

TEST(Sweep, ReplacesTheSizesThatAreLetters) {
  struct Row {
    std::string input;
    Texts specs;
    Texts names;
  };
  const std::vector<Row> rows = {
      {"tokens:BxL",
       {"tokens:1x5", "tokens:1x6", "tokens:2x5", "tokens:2x6"},
       {"tokens:1x5", "tokens:1x6", "tokens:2x5", "tokens:2x6"}},
      {"chat=tokens:BxL:32000",
       {"tokens:1x5:32000", "tokens:1x6:32000", "tokens:2x5:32000", "tokens:2x6:32000"},
       {"chat:1x5", "chat:1x6", "chat:2x5", "chat:2x6"}},
      {"randn:Bx3x8x8", {"randn:1x3x8x8", "randn:2x3x8x8"}, {"randn:1x3x8x8", "randn:2x3x8x8"}},
      {"x=randn:4xLx8", {"randn:4x5x8", "randn:4x6x8"}, {"x:5", "x:6"}},
      {"x=tokens:BxL:9;ones:BxL:bool;str:B",
       {"tokens:1x5:9;ones:1x5:bool;str:B", "tokens:1x6:9;ones:1x6:bool;str:B",
        "tokens:2x5:9;ones:2x5:bool;str:B", "tokens:2x6:9;ones:2x6:bool;str:B"},
       {"x:1x5", "x:1x6", "x:2x5", "x:2x6"}},
  };
  for (const Row& row : rows) {
    const auto cases = sweep_cases({row.input}, sweep_sizes_of("1,2x5,6"));
    EXPECT_EQ(specs(cases), row.specs) << row.input;
    EXPECT_EQ(names(cases), row.names) << row.input;
    for (const pipeline::CaseInput& one : cases) EXPECT_EQ(one.need, pipeline::Need::required);
  }
}

TEST(Sweep, RefusesInputsWithoutASizeToVary) {
  for (const char* input :
       {"tokens:1x5", "prompt.json", "str:B", "randn:1x3:B", "int:5", "B", "BxL", "LxB:tokens"}) {
    try {
      (void)sweep_cases({input}, sweep_sizes_of("edges"));
      ADD_FAILURE() << input << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << input;
      EXPECT_NE(std::string(error.what()).find("neither a B for the rows nor an L"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(Sweep, RefusesSizesThatMakeNoSense) {
  for (const char* text : {"", "x", "1", "1x", "x1", "0x1", "1x0", "-1x1", "1,x1", "1,,2x1",
                           "1x1,1", "1x2x3", "a", "edge", "1 x2", "99999999999999999999x1"}) {
    EXPECT_THROW((void)sweep_sizes_of(text), Error) << text;
  }
}

}  // namespace
}  // namespace parity::cli

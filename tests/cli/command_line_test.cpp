#include "cli/command_line.h"

#include <gtest/gtest.h>

namespace parity::cli {
namespace {

TEST(QuotedCommand, QuotesOnlyWhatAShellWouldChange) {
  const char* const argv[] = {"/usr/bin/parity", "compare", "a b.h5", "--layers",
                              "layers.*",        "it's",    "",       "x=1:2,3"};
  EXPECT_EQ(quoted_command(8, argv),
            "parity compare 'a b.h5' --layers 'layers.*' 'it'\\''s' '' x=1:2,3");
}

}  // namespace
}  // namespace parity::cli

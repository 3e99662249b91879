#include "cli/flag_texts.h"

#include <gtest/gtest.h>

#include "error/error.h"

namespace parity::cli {
namespace {

TEST(MostThreads, IsFourForEachCoreAnd64AtLeast) {
  EXPECT_EQ(most_threads(0), 64);
  EXPECT_EQ(most_threads(2), 64);
  EXPECT_EQ(most_threads(16), 64);
  EXPECT_EQ(most_threads(17), 68);
  EXPECT_EQ(most_threads(256), 1024);
  EXPECT_GT(most_threads(4'000'000'000U), 0);
}

TEST(SeedOf, TakesWhatTheGeneratorsTake) {
  EXPECT_EQ(seed_of("0"), 0U);
  EXPECT_EQ(seed_of("007"), 7U);
  EXPECT_EQ(seed_of("18446744073709551615"), UINT64_MAX);
}

TEST(SeedOf, RefusesEverythingElse) {
  for (const char* text : {"-1", "-0", "+1", "18446744073709551616", "99999999999999999999999",
                           "1e3", "1.0", "0x10", " 3", "3 ", "", "three"}) {
    EXPECT_THROW((void)seed_of(text), Error) << "'" << text << "'";
  }
}

TEST(CheckGlobs, LetsWellFormedGlobsPass) {
  EXPECT_NO_THROW(check_globs(
      "--layers", {"**", "a.*", "[ab]", "[]]", "[!]]x", "[[]", "a]", "\u5c42.*", "[a-z]?"}));
}

TEST(CheckGlobs, RefusesWhatCannotBeMeant) {
  for (const char* glob : {"[", "a[", "[]", "[a", "[ab][c", "a\nb", "a\tb", "\x1b[31m", "a\xff"}) {
    EXPECT_THROW(check_globs("--skip", {"fine", glob}), Error) << "'" << glob << "'";
  }
}

}  // namespace
}  // namespace parity::cli

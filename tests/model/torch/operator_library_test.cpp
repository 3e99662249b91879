#include "model/operator_library.h"

#include <chrono>

#include <gtest/gtest.h>

namespace parity::model {
namespace {

TEST(OperatorLibrary, IsKilledInItsOwnProcessWhenItDoesNotEnd) {
  run::Settings settings;
  settings.device = "cpu";
  const auto start = std::chrono::steady_clock::now();
  const auto failure =
      load_operator_libraries({PARITY_STUBBORN_LIBRARY}, settings, std::chrono::milliseconds(700));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->how, LibraryFailure::How::hung) << failure->words;
  EXPECT_EQ(failure->words, "1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  EXPECT_FALSE(is_library_loaded(PARITY_STUBBORN_LIBRARY));
}

}  // namespace
}  // namespace parity::model

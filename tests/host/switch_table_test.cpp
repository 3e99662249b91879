#include "host/doctor/switch_table.h"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace parity::host {
namespace {

std::string row_of(const Switch& entry) {
  return "| `" + std::string(entry.name) + "` | " +
         (entry.level == run::Level::warning ? "warning" : "note") + " | " +
         std::string(entry.effect) + " | " + std::string(entry.source) + " |";
}

TEST(SwitchTable, IsTheOneOfTheDocument) {
  std::ifstream in(PARITY_DOCS "/doctor.md");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::string wanted;
  for (const Switch& entry : number_switches()) wanted += row_of(entry) + "\n";
  EXPECT_NE(text.find(wanted), std::string::npos) << "docs/doctor.md must hold these rows:\n"
                                                  << wanted;
}

TEST(SwitchTable, NamesEveryVariableOnceWithEffectAndSource) {
  std::set<std::string_view> names;
  for (const Switch& entry : number_switches()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.effect.empty() || entry.source.empty()) << entry.name;
    EXPECT_TRUE(entry.fine.empty() || entry.fine.back() == ' ') << entry.name;
  }
}

}  // namespace
}  // namespace parity::host

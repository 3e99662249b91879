// Every machine of tests/host/systems gets exactly the problems and warnings that it is there for.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/doctor/doctor.h"
#include "host/made_system.h"

namespace parity::host {
namespace {

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(PARITY_SYSTEMS)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string shown(const run::Finding& finding) {
  std::string text = std::string(run::name(finding.level)) + " " + finding.check + " " +
                     finding.seen + "\n    why " + finding.why;
  for (const run::Remedy& remedy : finding.fix)
    text += "\n    fix " + remedy.words + " | " + remedy.command;
  return text;
}

std::string shown(const run::Diagnosis& diagnosis) {
  std::string text;
  for (const run::Finding& finding : diagnosis.findings) text += shown(finding) + "\n";
  return text;
}

bool fits(const Expectation& expectation, const run::Finding& finding) {
  return run::name(finding.level) == expectation.kind && finding.check == expectation.check &&
         finding.seen.find(expectation.words) != std::string::npos;
}

bool is_in_detail(const Expectation& expectation, const run::Diagnosis& diagnosis) {
  for (const run::Finding& finding : diagnosis.findings) {
    if (expectation.kind == "why" && finding.why.find(expectation.words) != std::string::npos)
      return true;
    for (const run::Remedy& remedy : finding.fix) {
      const std::string text = remedy.words + ": " + remedy.command;
      if (expectation.kind == "fix" && text.find(expectation.words) != std::string::npos)
        return true;
    }
  }
  return false;
}

class Systems : public testing::TestWithParam<std::string> {};

TEST_P(Systems, GetExactlyTheFindingsTheyAreThereFor) {
  const MadeSystem made(PARITY_SYSTEMS, GetParam());
  const run::Diagnosis diagnosis = diagnose(made.system(), made.subject());
  ASSERT_FALSE(made.expected().empty());
  for (const Expectation& expectation : made.expected()) {
    const std::string line = expectation.kind + " " + expectation.check + " " + expectation.words;
    if (expectation.kind == "no") {
      EXPECT_TRUE(std::none_of(
          diagnosis.findings.begin(), diagnosis.findings.end(),
          [&](const run::Finding& finding) { return finding.check == expectation.check; }))
          << line << "\n"
          << shown(diagnosis);
      continue;
    }
    if (expectation.kind == "why" || expectation.kind == "fix") {
      EXPECT_TRUE(is_in_detail(expectation, diagnosis)) << line << "\n" << shown(diagnosis);
      continue;
    }
    EXPECT_EQ(std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                            [&](const auto& finding) { return fits(expectation, finding); }),
              1)
        << line << "\n"
        << shown(diagnosis);
  }
  for (const run::Finding& finding : diagnosis.findings) {
    if (finding.level != run::Level::problem && finding.level != run::Level::warning) continue;
    EXPECT_TRUE(std::any_of(made.expected().begin(), made.expected().end(),
                            [&](const auto& expectation) { return fits(expectation, finding); }))
        << "nobody expects: " << shown(finding);
    // A finding that stops somebody says why and what to do.
    EXPECT_FALSE(finding.why.empty()) << shown(finding);
  }
}

INSTANTIATE_TEST_SUITE_P(Made, Systems, testing::ValuesIn(system_names()), [](const auto& system) {
  std::string name = system.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(MadeSystems, CoverEveryKindOfGpuHealthyAndBroken) {
  const std::vector<std::string> names = system_names();
  for (const std::string kind : {"mi300x", "mi250", "rx7900", "h200", "no-gpu"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), kind), 1) << kind;
    EXPECT_TRUE(std::any_of(names.begin(), names.end(),
                            [&](const auto& name) { return name.rfind(kind + "-", 0) == 0; }))
        << "no broken variant of " << kind;
  }
}

}  // namespace
}  // namespace parity::host

// Where a run's structure is changed, and what the gate is asked for it.
#include "pipeline/selftest/selftest_structure.h"

#include <gtest/gtest.h>

#include "pipeline/judge/judgement.h"
#include "pipeline/selftest/made_golden.h"

namespace parity::pipeline {
namespace {

/// A gate that does not see a structure fault at one tap is caught there, wherever it is.
TEST_F(SelftestTest, ChangesStructureAtTheFirstTheMiddleTheLastTapAndEveryOutput) {
  std::vector<MadeTap> taps;
  for (int i = 0; i < 5; ++i) {
    taps.push_back(
        {module("blocks." + std::to_string(i)), floats({4, 8}, static_cast<std::uint64_t>(i + 1))});
  }
  taps.push_back({output(), floats({4, 8}, 6, 20)});
  run::TapId second = output();
  second.port = "1";
  taps.push_back({second, floats({4, 8}, 7, 20)});
  const SelftestRequest request = golden(taps);
  const Selftest found = run(request);
  EXPECT_EQ(found.exit_code, 0) << found.reasons.front();
  for (const char* name : {"missing_tap", "additional_tap", "doubled_tap", "renamed_tap"}) {
    EXPECT_EQ(fault(found, name).gross_seen, 5U) << name;
    EXPECT_TRUE(fault(found, name).not_injected.empty()) << name;
  }
  for (const std::string at : {"blocks.0", "blocks.2", "blocks.4", "<output>", "<output>:1"}) {
    const Gate blind = [&](report::Report& report, const gate::RuleBook& policy,
                           run::Strictness strictness) {
      for (report::Case& one : report.cases) {
        std::erase_if(one.taps, [&](const report::Tap& tap) {
          return run::to_string(tap.id) == at && tap.outcome == report::Outcome::missing &&
                 one.taps.size() > 1;
        });
      }
      judge_report(report, policy, strictness);
    };
    const FaultResult& missing = fault(run(request, blind), "missing_tap");
    ASSERT_EQ(missing.missed.size(), 1U) << at;
    EXPECT_EQ(missing.missed[0].tap, at);
  }
}

/// An output costs its own comparison for a fault elsewhere, and no more: a decode has hundreds.
TEST_F(SelftestTest, JudgesOneOutputBesideAFault) {
  std::vector<MadeTap> taps = three_taps();
  for (int i = 0; i < 20; ++i) {
    run::TapId more = output();
    more.port = std::to_string(i);
    taps.push_back({more, floats({4, 8}, static_cast<std::uint64_t>(10 + i), 20)});
  }
  std::size_t most = 0;
  std::size_t asked = 0;
  const Gate counting = [&](report::Report& report, const gate::RuleBook& policy,
                            run::Strictness strictness) {
    for (const report::Case& one : report.cases) {
      if (one.taps.size() > 2) ++most;
      ++asked;
    }
    judge_report(report, policy, strictness);
  };
  EXPECT_EQ(run(golden(taps), counting).exit_code, 0);
  EXPECT_GT(asked, 500U);
  // The controls, the outputs, a case without outputs, without taps, missing and one too many; a
  // tap that is added or renamed beside its own place and an output.
  EXPECT_LT(most, asked / 10);
}

}  // namespace
}  // namespace parity::pipeline

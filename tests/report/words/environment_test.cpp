// What the formats for people say of two environments.
#include "report/words/environment.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/ci/annotations.h"
#include "report/ci/junit.h"
#include "report/ci/markdown.h"
#include "report/ci/openmetrics.h"
#include "report/html/html.h"
#include "report/json/json.h"
#include "report/made_report.h"
#include "report/terminal/table.h"

namespace parity::report {
namespace {

using report_test::failing_report;
using report_test::identical_report;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> keys(const Report& report) {
  std::vector<std::string> result;
  for (const run::Difference& difference : switches_first(report)) result.push_back(difference.key);
  return result;
}

Report with(const std::vector<run::Difference>& differences) {
  Report report = failing_report();
  report.reference.provenance.set("device.type", "cuda");
  report.candidate.provenance.set("device.type", "cuda");
  report.environment_diff = differences;
  return report;
}

TEST(SwitchesFirst, LeadWithWhatChangesNumbersThenProbesThenTheDevice) {
  EXPECT_EQ(keys(with({{"library.torch", "2.10", "2.11"},
                       {"device.driver", "570", "580"},
                       {"probe.fma", "addcmul fused, add fused", "addcmul separate, add fused"},
                       {"variable.OMP_NUM_THREADS", "", "2"},
                       {"variable.set", "", "none"},
                       {"variable.NVIDIA_TF32_OVERRIDE", "1", ""},
                       {"switch.sdpa", "math", "flash"}})),
            (std::vector<std::string>{"variable.NVIDIA_TF32_OVERRIDE", "switch.sdpa",
                                      "variable.OMP_NUM_THREADS", "probe.fma", "device.driver",
                                      "library.torch", "variable.set"}));
}

TEST(SwitchesFirst, PutLibrariesOfOneSideIntoOneRow) {
  const Report report = with({{"library.file.libcublas", "build-id 1", ""},
                              {"library.file.libm", "build-id 2", "build-id 3"},
                              {"library.file.libcudnn", "build-id 4", ""},
                              {"library.file.librocblas", "", "build-id 5"}});
  const std::vector<run::Difference> shown = switches_first(report);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].key, "library.file.libm");
  EXPECT_EQ(shown[1].key, "library.file.*");
  EXPECT_EQ(shown[1].reference, "libcublas libcudnn");
  EXPECT_EQ(shown[1].candidate, "librocblas");
  EXPECT_TRUE(has(to_json(report), "\"library.file.libcudnn\"")) << "the JSON has each";
}

TEST(Marks, TellVariablesAndProbes) {
  const Report report = with({});
  EXPECT_EQ(mark_of(report, {"variable.MIOPEN_FIND_MODE", "", "2"}), "changes numbers");
  EXPECT_EQ(mark_of(report, {"variable.set", "", "none"}), "") << "one side did not record them";
  EXPECT_EQ(mark_of(report, {"variable.OMP_NUM_THREADS", "2", "4"}), "") << "on a GPU";
  EXPECT_EQ(mark_of(report, {"probe.fma", "a", "b"}), "other arithmetic");
  EXPECT_EQ(mark_of(report, {"probe.digest", "", "b"}), "") << "one side has no probes";
  EXPECT_EQ(mark_of(report, {"probe.fma", "failed for lack of memory", "b"}), "")
      << "nothing is known of one side's arithmetic";
  EXPECT_EQ(mark_of(report, {"probe.fma", "a", "not available"}), "");
  EXPECT_EQ(mark_of(report, {"library.file.libm", "a", "b"}), "");
}

TEST(Variables, ThatOneSideSetAndTheOtherDidNotRecordMayChangeNumbers) {
  const std::string names = "ONEDNN_DEFAULT_FPMATH_MODE OMP_NUM_THREADS";
  Report report = with({{"variable.set", "", names}, {"host.kernel", "5.15", "6.8"}});
  report.candidate.provenance.set("variable.set", names);
  const std::string row = "! variable.set  (unknown) -> " + names + "  changes numbers";
  for (const Show show : {Show::summary, Show::all}) {
    const std::string table = to_table(report, {show, Color::off, 200, 0});
    EXPECT_TRUE(has(table, row)) << table;
    EXPECT_FALSE(has(table, "no switch that changes numbers")) << table;
  }
  EXPECT_TRUE(has_decisive_switch(report));
  const std::string markdown = to_markdown(report);
  EXPECT_TRUE(
      has(markdown, "| `variable.set` | `(unknown)` | `" + names + "` | **changes numbers** |"))
      << markdown;
  const std::string html = to_html(report);
  EXPECT_TRUE(has(html, "1 switch that changes numbers is different")) << "of the page";
  EXPECT_TRUE(has(to_junit(report), "(unknown) -&gt; " + names));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json.at("environment_diff").at(0).at("reference"), "") << "empty where it is missing";
}

TEST(Variables, ThatChangeNothingHereAreNoReason) {
  Report report = with({{"variable.set", "OMP_NUM_THREADS", ""}});
  report.reference.provenance.set("variable.set", "OMP_NUM_THREADS");
  EXPECT_FALSE(has_decisive_switch(report)) << "on a GPU";
  for (Side* side : {&report.reference, &report.candidate})
    side->provenance.set("device.type", "cpu");
  EXPECT_TRUE(has_decisive_switch(report));
  const std::string none =
      to_table(with({{"variable.set", "", "none"}}), {Show::all, Color::off, 200, 0});
  EXPECT_TRUE(has(none, "variable.set  (absent) -> none")) << none;
}

TEST(Probes, ThatDifferAreInEveryFormat) {
  const Report report =
      with({{"probe.accumulation.float16", "order 48, bits 25", "order 56, bits 24"}});
  const std::string name = "probe.accumulation.float16";
  const std::string table = to_table(report, {Show::all, Color::off, 200, 0});
  EXPECT_TRUE(has(table, name + "  order 48, bits 25 -> order 56, bits 24  other arithmetic"))
      << table;
  const std::string markdown = to_markdown(report);
  EXPECT_TRUE(has(markdown, "| `" + name +
                                "` | `order 48, bits 25` | `order 56, bits 24` | "
                                "**other arithmetic** |"))
      << markdown;
  const std::string html = to_html(report);
  EXPECT_TRUE(has(html, "<code>" + name + "</code>"));
  EXPECT_TRUE(has(html, "<td>other arithmetic</td>"));
  EXPECT_TRUE(has(to_junit(report), "environment_diff." + name));
  EXPECT_TRUE(has(to_json(report), "\"key\":\"" + name + "\""));
}

TEST(SelfComparison, IsSaidInEveryFormatWithTheHost) {
  Report report = identical_report();
  const std::string words = "same device on both sides, says nothing about another vendor";
  EXPECT_EQ(self_comparison_text(report), words) << "nothing is known of the hosts";
  for (Side* side : {&report.reference, &report.candidate})
    side->provenance.set("host.cpu", "EPYC");
  const std::string here =
      "same device on both sides, and the same host, says nothing about another vendor";
  EXPECT_EQ(self_comparison_text(report), here);
  EXPECT_TRUE(
      has(to_table(report, {Show::summary, Color::off, 200, 0}), "SELF-COMPARISON: " + here));
  EXPECT_TRUE(has(to_markdown(report), "- **Self-comparison:** " + here));
  EXPECT_TRUE(has(to_html(report), "Self-comparison: " + here));
  EXPECT_TRUE(has(to_junit(report), "<property name=\"self_comparison\" value=\"" + here));
  EXPECT_TRUE(has(to_openmetrics(report), "parity_same_device 1"));
  EXPECT_TRUE(has(to_annotations(report), "self-comparison::" + here));
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json.at("self_comparison"), here);
  EXPECT_EQ(json.at("same_device"), true);
  report.candidate.provenance.set("host.cpu", "Xeon");
  EXPECT_EQ(self_comparison_text(report), words);
}

TEST(SelfComparison, IsNotSaidOfTwoDevices) {
  const Report report = failing_report();
  EXPECT_EQ(self_comparison_text(report), "");
  for (const std::string& text :
       {to_table(report, {Show::all, Color::off, 200, 0}), to_markdown(report), to_html(report),
        to_junit(report), to_annotations(report)}) {
    EXPECT_FALSE(has(text, "SELF-COMPARISON"));
    EXPECT_FALSE(has(text, "elf-comparison"));
    EXPECT_FALSE(has(text, "self_comparison"));
  }
  EXPECT_TRUE(nlohmann::json::parse(to_json(report)).at("self_comparison").is_null());
}

}  // namespace
}  // namespace parity::report

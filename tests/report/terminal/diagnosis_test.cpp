#include "report/data/diagnosis.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/words/text.h"

namespace parity::report {
namespace {

using run::Level;

run::Diagnosis sample() {
  run::Diagnosis diagnosis;
  diagnosis.facts.set("host.container", "docker");
  diagnosis.findings = {
      {"machine", Level::ok, "2 GPUs", "", {}},
      {"devices.amd",
       Level::problem,
       "/dev/kfd does not open: Permission denied; it is crw-rw---- root:render (0:109)",
       "Only members of group render (109) may open it, and this process is none.",
       {{"join the group", "sudo usermod -aG render kim"}, {"then log out and in", ""}}},
      {"switches",
       Level::warning,
       "HIPBLASLT_ALLOW_TF32=1",
       "It lets ROCm use XF32.",
       {{"", "unset HIPBLASLT_ALLOW_TF32"}}},
      {"switches", Level::note, "OMP_NUM_THREADS=4", "", {}}};
  return diagnosis;
}

TableOptions shown(Show show, int width) { return {show, Color::off, width, 0}; }

TEST(DiagnosisText, LeadsWithTheVerdictAndKeepsCommandsWhole) {
  const std::string text = to_text(sample(), shown(Show::all, 80));
  EXPECT_EQ(text.rfind("NOT READY: 1 problem, 1 warning, 1 note\n", 0), 0U) << text;
  EXPECT_NE(text.find("\n           $ sudo usermod -aG render kim\n"), std::string::npos) << text;
  EXPECT_NE(text.find("      why  Only members"), std::string::npos) << text;
  EXPECT_NE(text.find("      fix  then log out and in\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
}

TEST(DiagnosisText, FitsEveryWidth) {
  for (const int width : {60, 80, 200}) {
    const std::string text = to_text(sample(), shown(Show::all, width));
    for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
      EXPECT_LE(display_width(text.substr(start, text.find('\n', start) - start)), width) << text;
  }
}

TEST(DiagnosisText, ShowsAsMuchAsIsAskedFor) {
  const std::string failing = to_text(sample(), shown(Show::failing, 100));
  EXPECT_EQ(failing.find("OMP_NUM_THREADS"), std::string::npos) << failing;
  EXPECT_NE(failing.find("HIPBLASLT_ALLOW_TF32=1"), std::string::npos) << failing;
  EXPECT_EQ(to_text(sample(), shown(Show::summary, 100)),
            "NOT READY: 1 problem, 1 warning, 1 note\n");
}

TEST(DiagnosisText, IsReadyWithWarnings) {
  run::Diagnosis diagnosis = sample();
  diagnosis.findings.erase(diagnosis.findings.begin() + 1);
  EXPECT_EQ(exit_code_of(diagnosis), 0);
  EXPECT_EQ(to_text(diagnosis, shown(Show::summary, 100)),
            "READY: 0 problems, 1 warning, 1 note\n");
}

TEST(DiagnosisText, LetsNoNameCommandTheTerminal) {
  run::Diagnosis diagnosis;
  diagnosis.findings = {
      {"machine", Level::warning, "a \033[31m name", "w\rhy", {{"w", "c\033[2J"}}}};
  const std::string text = to_text(diagnosis, shown(Show::all, 80));
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(DiagnosisJson, HoldsEverything) {
  const auto document = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(document["verdict"], "not_ready");
  EXPECT_EQ(document["exit_code"], 3);
  EXPECT_EQ(document["totals"]["problem"], 1);
  EXPECT_EQ(document["findings"][1]["fix"][0]["command"], "sudo usermod -aG render kim");
  EXPECT_EQ(document["findings"][1]["fix"][1]["command"], nullptr);
  EXPECT_EQ(document["facts"]["host.container"], "docker");
}

}  // namespace
}  // namespace parity::report

#include "report/data/inspection.h"

#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/words/text.h"

namespace parity::report {
namespace {

InspectedTap tap_of(const std::string& path, const std::string& op = "") {
  InspectedTap tap;
  tap.record.id.kind = op.empty() ? run::TapKind::module : run::TapKind::op;
  tap.record.id.path = path;
  tap.record.id.op = op;
  tap.record.dtype = tensor::DType::bfloat16;
  tap.record.shape = {4, 128, 256};
  tap.stored_bytes = 262144;
  return tap;
}

Inspection inspection_of(std::vector<InspectedTap> taps) {
  Inspection inspection;
  inspection.file = "golden.h5";
  inspection.file_bytes = 1500000;
  inspection.header.model.file_name = "model.pt";
  inspection.header.model.kind = "torchscript";
  inspection.header.provenance.set("device.name", "NVIDIA H200");
  inspection.cases = {{"prose", {"input_ids: int64 1x40"}, std::move(taps), {}, {}, {}, {}}};
  return inspection;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Columns before the first place of `part` in the line that begins with `start`; -1 without both.
int column_of(const std::string& text, const std::string& start, const std::string& part) {
  for (const std::string& line : lines_of(text)) {
    const std::size_t at = line.find(part);
    if (line.rfind(start, 0) == 0 && at != std::string::npos) {
      return display_width(std::string_view(line).substr(0, at));
    }
  }
  return -1;
}

TEST(InspectionText, SaysWhatRepeatedRunsShowed) {
  Inspection inspection = inspection_of({tap_of("embed"), tap_of("norm")});
  EXPECT_EQ(to_text(inspection).find("repeat"), std::string::npos);
  inspection.cases[0].noise = InspectedNoise{1, {}};
  EXPECT_NE(to_text(inspection).find("  1 repeat: every tap has the same bits\n"),
            std::string::npos);
  inspection.cases[0].noise = InspectedNoise{3, {inspection.cases[0].taps[1].record.id}};
  EXPECT_NE(to_text(inspection).find("  3 repeats: 1 tap not the same each time\n    norm\n"),
            std::string::npos)
      << to_text(inspection);
}

TEST(Inspection, ShowsADecode) {
  Inspection inspection = inspection_of({tap_of("blocks.0")});
  EXPECT_EQ(to_text(inspection).find("decode"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(inspection)).at("cases").at(0).at("decode").is_null());
  inspection.cases[0].decode = InspectedDecode{16, 2};
  EXPECT_NE(to_text(inspection).find("  decode 16 steps of 2 rows\n"), std::string::npos)
      << to_text(inspection);
  const auto decode = nlohmann::json::parse(to_json(inspection)).at("cases").at(0).at("decode");
  EXPECT_EQ(decode.at("steps"), 16);
  EXPECT_EQ(decode.at("rows"), 2);
}

TEST(InspectionText, NeverLetsAGoldenControlTheTerminal) {
  const std::string evil = "evil\033[2J\033]0;title\a\r\b\u202E\u009B31m\xFF";
  Inspection inspection = inspection_of({tap_of(evil), tap_of(evil, evil)});
  inspection.file = evil;
  inspection.header.model.file_name = evil;
  inspection.header.model.kind = evil;
  inspection.header.provenance.set("host." + evil, evil);
  inspection.header.notes = {evil};
  InspectedCase& one = inspection.cases[0];
  one.name = evil;
  one.inputs = {evil};
  one.notes = {evil};
  one.taps[0].record.id.port = evil;
  one.skipped = {{tap_of(evil).record.id, evil}};
  const std::string text = to_text(inspection);
  for (const char* obeyed : {"\033", "\a", "\r", "\b", "\u202E", "\u009B", "\xFF"})
    EXPECT_EQ(text.find(obeyed), std::string::npos) << "byte " << int(obeyed[0]);
  // File, model, kind, key and value, note, case, input, path and port, path and op, skipped tap
  // and its reason, note of the case: each is shown, as clean as the table shows names.
  std::size_t count = 0;
  const std::string shown = clean(evil);
  for (std::size_t at = text.find(shown); at != std::string::npos; at = text.find(shown, at + 1))
    ++count;
  EXPECT_EQ(count, 15U) << text;
}

TEST(InspectionText, KeepsEveryEntryOnItsOwnLine) {
  const Inspection inspection = inspection_of({tap_of("blocks.0")});
  Inspection broken = inspection;
  broken.header.provenance.set("device.name", "NVIDIA\nmodel   forged.pt");
  broken.cases[0].notes = {"first\nnote: forged"};
  broken.cases[0].name = "prose\ncase forged";
  EXPECT_EQ(lines_of(to_text(broken)).size(), lines_of(to_text(inspection)).size() + 1)
      << "one line more, for the note:\n"
      << to_text(broken);
}

TEST(InspectionText, AlignsNamesByTheColumnsTheyTake) {
  const std::string text = to_text(
      inspection_of({tap_of("blocks.0.attn"), tap_of("层.層.注意力"), tap_of("e\u0301cole")}));
  const int column = column_of(text, "  tap", "dtype");
  EXPECT_EQ(column, 2 + 13 + 2) << text;
  for (const char* name : {"blocks.0.attn", "层.層.注意力", "e\u0301cole"}) {
    EXPECT_EQ(column_of(text, std::string("  ") + name, "bfloat16"), column) << name << "\n"
                                                                             << text;
    EXPECT_EQ(column_of(text, std::string("  ") + name, "4x128x256"),
              column_of(text, "  tap", "shape"))
        << name << "\n"
        << text;
  }
}

TEST(InspectionText, NamesTheModelItself) {
  const std::string text = to_text(inspection_of({tap_of("")}));
  EXPECT_NE(text.find("  (root)  bfloat16"), std::string::npos) << text;
}

TEST(InspectionText, ShowsValuesInAsManyDigitsAsTheyNeed) {
  InspectedTap tap = tap_of("blocks.0");
  tap.values = TapValues{4, 1, 0, -2.5, 1e-12, 0.25, 1.5, {0.1, 1e30}};
  const std::string text = to_text(inspection_of({tap}));
  for (const char* part :
       {"finite 4  nan 1  inf 0  min -2.5  max 1e-12  mean 0.25  rms 1.5", "first 0.1 1e+30\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Inspection, SaysThatACaseHasATruthAndItsDtype) {
  Inspection inspection = inspection_of({tap_of("blocks.0")});
  EXPECT_EQ(to_text(inspection).find("truth"), std::string::npos);
  const auto truth_json = [](const Inspection& shown) {
    return nlohmann::json::parse(to_json(shown)).at("cases").at(0).at("truth");
  };
  EXPECT_TRUE(truth_json(inspection).is_null());
  inspection.cases[0].truth = InspectedTruth{"float64", 12, {"evil\033[2J"}};
  const std::string text = to_text(inspection);
  EXPECT_NE(text.find("  truth in float64, 12 taps\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  note: truth: evil\uFFFD[2J\n"), std::string::npos) << text;
  EXPECT_EQ(truth_json(inspection).at("dtype"), "float64");
  EXPECT_EQ(truth_json(inspection).at("taps"), 12);
}

TEST(InspectionJson, WritesNonFiniteNumbersAsText) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  InspectedTap tap = tap_of("blocks.0");
  tap.values =
      TapValues{0, 1, 2, -kInf, kInf, std::numeric_limits<double>::quiet_NaN(), 0.1, {kInf}};
  const nlohmann::json values = nlohmann::json::parse(to_json(inspection_of({tap})))
                                    .at("cases")
                                    .at(0)
                                    .at("taps")
                                    .at(0)
                                    .at("values");
  EXPECT_EQ(values.at("min"), "-inf");
  EXPECT_EQ(values.at("max"), "inf");
  EXPECT_EQ(values.at("mean"), "nan");
  EXPECT_EQ(values.at("rms"), 0.1);
  EXPECT_EQ(values.at("first"), nlohmann::json::array({"inf"}));
}

}  // namespace
}  // namespace parity::report

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "name_map/name_map_file.h"
#include <gtest/gtest.h>
#include <unistd.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "golden_store/golden_writer.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/inspect.h"
#include "pipeline/compare/side_digests.h"

namespace parity::pipeline {
namespace {

struct TapSpec {
  std::string path;
  std::vector<float> values;
};

struct CaseSpec {
  std::string name;
  std::vector<TapSpec> taps;
};

class CompareRecordings : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "parity-compare-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path golden(const std::string& name,
                                             const std::vector<CaseSpec>& cases) const {
    golden_store::GoldenWriter writer(folder_ / name, {});
    for (const CaseSpec& one : cases) {
      writer.begin_case(one.name, {});
      for (const TapSpec& spec : one.taps) {
        run::TapRecord tap;
        const bool output = spec.path == run::kOutputPath;
        tap.id = {output ? run::TapKind::output : run::TapKind::module, spec.path, "", 0, ""};
        tap.shape = {static_cast<std::int64_t>(spec.values.size())};
        const auto bytes = std::as_bytes(std::span(spec.values));
        tap.digest = tensor::digest_of(bytes);
        writer.add_tap(tap, bytes);
      }
      writer.end_case({}, {});
    }
    run::RecordingHeader header;
    header.model.file_name = "model.pt";
    header.model.kind = "torchscript";
    header.model.all_weights = run::digest_of_weights({});
    header.provenance.set("device.name", "cpu");
    writer.finish(header);
    return folder_ / name;
  }

  [[nodiscard]] static report::Report compare(const std::filesystem::path& reference,
                                              const std::filesystem::path& candidate,
                                              const ReplayOverrides& overrides = {},
                                              const std::string& map = "") {
    NoProgress progress;
    CompareRequest request;
    request.golden = reference;
    request.overrides = overrides;
    if (!map.empty()) request.map = name_map::parse_name_map(map, "m.toml");
    return compare_recordings(request, candidate, progress);
  }

  std::filesystem::path folder_;
};

const std::vector<float> kFirst = {1, 2, 3, 4};
const std::vector<float> kSecond = {5, 6, 7, 9};

TEST_F(CompareRecordings, WithItselfIsIdenticalEverywhere) {
  const auto file = golden("a.h5", {{"one", {{"fc", kFirst}, {"<output>", kSecond}}}});
  const report::Report report = compare(file, file);
  EXPECT_EQ(report.result, report::Result::pass);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.devices, report::Devices::same);
  for (const report::Tap& tap : report.cases.at(0).taps) {
    EXPECT_EQ(tap.verdict, run::Verdict::identical);
    EXPECT_EQ(tap.facts->nrmse, 0.0);
    EXPECT_EQ(tap.facts->ulp.max, 0U);
    EXPECT_EQ(tap.facts->relative.max, 0.0);
  }
}

TEST_F(CompareRecordings, SaysWhatTheNamesOfItsFilesStandFor) {
  const std::vector<CaseSpec> cases = {{"one", {{"a", {1, 2}}, {"<output>", {3, 4}}}}};
  const std::vector<CaseSpec> others = {{"one", {{"a", {1, 2.5}}, {"<output>", {3, 4}}}}};
  const std::vector<CaseSpec> renamed = {{"two", {{"a", {1, 2}}, {"<output>", {3, 4}}}}};
  const report::Report report = compare(golden("r.h5", cases), golden("c.h5", others));
  const report::SideDigests& of_first = report.reference.digests;
  EXPECT_EQ(of_first.recording.size(), 32U);
  EXPECT_NE(of_first.recording, report.candidate.digests.recording);
  EXPECT_EQ(of_first.inputs, report.candidate.digests.inputs);
  EXPECT_EQ(of_first.weights, "") << "the model has none";
  EXPECT_EQ(report.policy_digest.size(), 32U);
  const report::SideDigests again = digests_of(golden_store::GoldenReader(golden("r2.h5", cases)));
  EXPECT_EQ(again.recording, of_first.recording) << "whenever and wherever it was recorded";
  const report::SideDigests other = digests_of(golden_store::GoldenReader(golden("o.h5", renamed)));
  EXPECT_NE(other.recording, of_first.recording);
  EXPECT_NE(other.inputs, of_first.inputs);
}

TEST_F(CompareRecordings, PairsTapsThroughANameMap) {
  const auto reference =
      golden("a.h5", {{"one", {{"q", {1, 2}}, {"k", {3}}, {"kv", kFirst}, {"<output>", kSecond}}}});
  const auto candidate = golden(
      "b.h5",
      {{"one", {{"h.qk", {1, 2, 3}}, {"h.k", {1, 2}}, {"h.v", {3, 4}}, {"<output>", kSecond}}}});
  const report::Report report = compare(reference, candidate, {},
                                        "[[split]]\ncandidate = 'h.qk'\ngolden = ['q', 'k']\n"
                                        "[[concat]]\ngolden = 'kv'\ncandidate = ['h.k', 'h.v']\n");
  EXPECT_EQ(report.exit_code, 0);
  std::vector<std::vector<std::string>> own;
  for (const report::Tap& tap : report.cases.at(0).taps) {
    EXPECT_EQ(tap.verdict, run::Verdict::identical) << run::to_string(tap.id);
    own.push_back(tap.candidate_taps);
  }
  EXPECT_EQ(own, (std::vector<std::vector<std::string>>{{"h.qk"}, {"h.qk"}, {"h.k", "h.v"}, {}}));
  EXPECT_EQ(report.name_map->mapped, 3U);
  EXPECT_TRUE(report.name_map->unmatched.empty());
}

TEST_F(CompareRecordings, LeavesOutWhatANameMapSaysOnBothSides) {
  const auto reference =
      golden("a.h5",
             {{"one", {{"fc", kFirst}, {"act", kFirst}, {"gone", kFirst}, {"<output>", kSecond}}}});
  const auto candidate =
      golden("b.h5", {{"one", {{"fc", kFirst}, {"act", kSecond}, {"<output>", kSecond}}}});
  const report::Report report = compare(reference, candidate, {},
                                        "[[leave_out]]\ngolden = 'act|gone|<output>'\n"
                                        "[[leave_out]]\ngolden = 'never'\n");
  EXPECT_EQ(report.exit_code, 0);
  ASSERT_EQ(report.cases.at(0).taps.size(), 2U) << "fc and <output>";
  ASSERT_EQ(report.cases[0].left_out.size(), 2U);
  EXPECT_EQ(report.name_map->rules.at(0).taps, 2U);
  EXPECT_EQ(report.notes.back(), "m.toml:3: the rule for 'never' matches no tap of the golden");
}

TEST_F(CompareRecordings, ListsWhatANameMapLeavesOver) {
  const auto reference = golden("a.h5", {{"one", {{"fc", kFirst}, {"<output>", kSecond}}}});
  const auto candidate = golden(
      "b.h5",
      {{"one",
        {{"x", kFirst}, {"y", kFirst}, {"z", kFirst}, {"w", kFirst}, {"<output>", kSecond}}}});
  const report::Report report = compare(reference, candidate, {},
                                        "[[rename]]\ncandidate = '[xy]'\ngolden = 'fc'\n"
                                        "[[rename]]\ncandidate = 'z'\ngolden = 'gone'\n"
                                        "[[ignore]]\ncandidate = 'w'\n"
                                        "[[ignore]]\ncandidate = 'v'\n");
  EXPECT_EQ(report.exit_code, 1);
  ASSERT_EQ(report.cases.at(0).taps.size(), 4U) << "fc, <output>, and y and z as additional";
  EXPECT_EQ(report.cases[0].taps[0].candidate_taps, std::vector<std::string>{"x"});
  ASSERT_EQ(report.name_map->collisions.size(), 1U);
  EXPECT_EQ(report.name_map->collisions[0].candidates, (std::vector<std::string>{"x", "y"}));
  ASSERT_EQ(report.name_map->unmatched.size(), 1U);
  EXPECT_EQ(report.name_map->unmatched[0].golden, "gone");
  EXPECT_EQ(report.name_map->rules.at(2).taps, 1U);
  EXPECT_EQ(report.notes.back(),
            "x, y are all fc of the golden in case one; only the first was compared");
  EXPECT_NE(std::find(report.notes.begin(), report.notes.end(),
                      "m.toml:9: the rule for 'v' matches no tap of the candidate"),
            report.notes.end());
}

TEST_F(CompareRecordings, NamesTheFirstDivergenceInExecutionOrder) {
  std::vector<float> wrong = kFirst;
  wrong[2] = 3.5F;
  const auto reference =
      golden("a.h5", {{"one", {{"fc1", kFirst}, {"fc2", kFirst}, {"<output>", kSecond}}}});
  const auto candidate =
      golden("b.h5", {{"one", {{"fc1", kFirst}, {"fc2", wrong}, {"<output>", kSecond}}}});
  const report::Report report = compare(reference, candidate);
  EXPECT_EQ(report.result, report::Result::fail);
  EXPECT_EQ(report.exit_code, 1);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(report.first_divergence->tap.path, "fc2");
}

TEST_F(CompareRecordings, ListsMissingAndAdditionalTapsAndFails) {
  const auto reference =
      golden("a.h5", {{"one", {{"fc1", kFirst}, {"old", kFirst}, {"<output>", kSecond}}}});
  const auto candidate =
      golden("b.h5", {{"one", {{"fc1", kFirst}, {"new", kFirst}, {"<output>", kSecond}}}});
  const report::Report report = compare(reference, candidate);
  EXPECT_EQ(report.exit_code, 1);
  const auto& taps = report.cases.at(0).taps;
  ASSERT_EQ(taps.size(), 4U);
  EXPECT_EQ(taps[1].id.path, "old");
  EXPECT_EQ(taps[1].verdict, run::Verdict::missing);
  EXPECT_EQ(taps[3].id.path, "new");
  EXPECT_EQ(taps[3].verdict, run::Verdict::additional);
}

TEST_F(CompareRecordings, FailsOnACaseThatOneSideLacks) {
  const auto both =
      golden("a.h5", {{"one", {{"<output>", kFirst}}}, {"two", {{"<output>", kFirst}}}});
  const auto one = golden("b.h5", {{"one", {{"<output>", kFirst}}}});
  EXPECT_EQ(compare(both, one).exit_code, 1);
  EXPECT_EQ(compare(one, both).exit_code, 1);
  EXPECT_EQ(compare(both, one).cases.at(1).taps.at(0).verdict, run::Verdict::missing);
  EXPECT_EQ(compare(one, both).cases.at(1).taps.at(0).verdict, run::Verdict::additional);
}

TEST_F(CompareRecordings, AlignsByNameWhateverTheOrder) {
  const auto reference =
      golden("a.h5", {{"one", {{"fc1", kFirst}, {"fc2", kSecond}, {"<output>", kSecond}}}});
  const auto candidate =
      golden("b.h5", {{"one", {{"fc2", kSecond}, {"fc1", kFirst}, {"<output>", kSecond}}}});
  EXPECT_EQ(compare(reference, candidate).exit_code, 0);
}

TEST_F(CompareRecordings, LeavesOutWhatIsSkippedAndRefusesAGlobThatMatchesNothing) {
  std::vector<float> wrong = kFirst;
  wrong[2] = 3.5F;
  const auto reference = golden("a.h5", {{"one", {{"fc1", kFirst}, {"<output>", kSecond}}}});
  const auto candidate = golden("b.h5", {{"one", {{"fc1", wrong}, {"<output>", kSecond}}}});
  ReplayOverrides skip;
  skip.skip = std::vector<std::string>{"fc1"};
  const report::Report report = compare(reference, candidate, skip);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.cases.at(0).taps.size(), 1U);
  skip.skip = std::vector<std::string>{"fc9"};
  EXPECT_THROW((void)compare(reference, candidate, skip), Error);
}

TEST_F(CompareRecordings, InspectGivesTheValuesOfTheLayersAskedFor) {
  const auto file = golden("a.h5", {{"one", {{"fc1", kFirst}, {"<output>", kSecond}}}});
  const report::Inspection all = inspect(file, "");
  EXPECT_EQ(all.cases.at(0).taps.size(), 2U);
  EXPECT_FALSE(all.cases[0].taps[0].values.has_value());
  const report::Inspection one = inspect(file, "fc1");
  ASSERT_EQ(one.cases.at(0).taps.size(), 1U);
  const report::TapValues& values = one.cases[0].taps[0].values.value();
  EXPECT_EQ(values.finite, 4U);
  EXPECT_EQ(values.min, 1.0);
  EXPECT_EQ(values.max, 4.0);
  EXPECT_EQ(values.mean, 2.5);
  EXPECT_EQ(values.first, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_THROW((void)inspect(file, "nothing"), Error);
}

}  // namespace
}  // namespace parity::pipeline

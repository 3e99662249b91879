// A policy from goldens: it judges what it was made from as passing, through the file and the same
// comparison as everybody's.
#include "pipeline/calibrate/calibrate.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "error/error.h"
#include "gate/policy_file.h"
#include "golden_store/golden_writer.h"
#include "pipeline/compare/compare.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/record.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using run::Verdict;
using test::bytes_of;
using test::FakeModel;
using test::FakeTap;
using test::module_tap;
using test::output_tap;

/// A model of `layers` with taps of some hundred values.
std::vector<FakeTap> healthy_taps(unsigned seed, int layers) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  const auto values = [&] {
    std::vector<float> drawn(200);
    for (float& value : drawn) value = normal(random);
    return drawn;
  };
  std::vector<FakeTap> taps = {module_tap("embed", values())};
  for (int layer = 0; layer < layers; ++layer) {
    const std::string path = "layers." + std::to_string(layer);
    taps.push_back(module_tap(path + ".attn", values()));
    taps.push_back(module_tap(path + ".mlp", values()));
  }
  taps.push_back(output_tap(values()));
  return taps;
}

/// The same computed elsewhere: every value of all taps but the first off by some `size` of it.
std::vector<FakeTap> other_rounding(std::vector<FakeTap> taps, unsigned seed, float size) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 1; i < taps.size(); ++i) {
    std::vector<float> values(taps[i].bytes.size() / sizeof(float));
    std::memcpy(values.data(), taps[i].bytes.data(), taps[i].bytes.size());
    for (float& value : values) value *= 1 + size * normal(random);
    taps[i].bytes = bytes_of(values);
  }
  return taps;
}

class Calibrate : public testing::Test {
 protected:
  std::filesystem::path golden(const std::string& name, const std::vector<FakeTap>& taps,
                               const std::string& inputs = "ones:2", std::int64_t repeats = 0,
                               float noise = 0) {
    FakeModel model(taps);
    const std::vector<FakeTap> repeated = other_rounding(taps, 99, noise);
    model.change_in_run = [&](int run, FakeTap& tap) {
      if (run < 3 || noise == 0) return;
      for (const FakeTap& other : repeated) {
        if (other.id == tap.id) tap.bytes = other.bytes;
      }
    };
    RecordRequest request;
    request.cases = {{"one", inputs}};
    request.repeats = repeats;
    request.out = folder_.path() / name;
    golden_store::GoldenWriter writer(request.out, {});
    (void)record_cases(model, writer, request, progress_);
    return request.out;
  }

  /// With the unrounded values as its truth.
  std::filesystem::path golden_with_truth(const std::string& name,
                                          const std::vector<FakeTap>& recorded,
                                          const std::vector<FakeTap>& unrounded) {
    std::vector<FakeTap> truth;
    for (const FakeTap& tap : unrounded) truth.push_back(test::widened(tap));
    RecordRequest request;
    request.cases = {{"one", "ones:2"}};
    request.truth.dtype = tensor::DType::float64;
    request.out = folder_.path() / name;
    golden_store::GoldenWriter writer(request.out, {});
    const OpenModel open = [&](const run::Settings&) { return std::make_unique<FakeModel>(truth); };
    (void)record_cases(std::make_unique<FakeModel>(recorded), open, writer, request, progress_);
    return request.out;
  }

  CalibratedPolicy made_from(const std::vector<std::filesystem::path>& goldens) {
    CalibrateRequest request;
    request.goldens = goldens;
    request.choice.name = "made";
    request.command = "parity calibrate";
    return calibrate(request, progress_);
  }

  report::Report compared(const std::filesystem::path& reference,
                          const std::filesystem::path& candidate, const std::string& policy) {
    const std::filesystem::path file = folder_.path() / "policy.toml";
    std::ofstream(file) << policy;
    CompareRequest request;
    request.golden = reference;
    request.policy = gate::read_policy(file);
    request.strictness = run::Strictness::strict;
    return compare_recordings(request, candidate, progress_);
  }

  std::string refusal(const std::vector<std::filesystem::path>& goldens, ErrorKind kind) {
    try {
      (void)made_from(goldens);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    return {};
  }

  const test::TemporaryFolder folder_;
  NoProgress progress_;
};

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

TEST_F(Calibrate, PassesEveryRunThatItWasMadeFrom) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const std::vector<FakeTap> taps = healthy_taps(seed, 5);
    const auto reference = golden("reference.h5", taps, "ones:2", 2, 1e-7F);
    std::vector<std::filesystem::path> goldens = {reference};
    for (unsigned other = 0; other < 3; ++other) {
      const float size = std::ldexp(1.0F, -static_cast<int>(10 + 4 * other + seed));
      goldens.push_back(golden("other" + std::to_string(other) + ".h5",
                               other_rounding(taps, seed * 10 + other, size)));
    }
    const CalibratedPolicy made = made_from(goldens);
    EXPECT_TRUE(made.summary.untestable.empty());
    for (const auto& candidate : goldens) {
      const report::Report report = compared(reference, candidate, made.text);
      EXPECT_EQ(report.result, report::Result::pass) << candidate << "\n" << made.text;
      for (const report::Tap& tap : report.cases.at(0).taps) {
        EXPECT_TRUE(tap.verdict == Verdict::identical || tap.verdict == Verdict::within)
            << run::to_string(tap.id);
      }
    }
  }
}

TEST_F(Calibrate, FailsWhatTheBuiltInPolicyLetsPass) {
  const std::vector<FakeTap> taps = healthy_taps(1, 4);
  const auto reference = golden("a.h5", taps);
  const CalibratedPolicy made =
      made_from({reference, golden("b.h5", other_rounding(taps, 5, 1e-7F))});
  const auto wrong = golden("wrong.h5", other_rounding(taps, 6, 3e-6F));
  CompareRequest request;
  request.golden = reference;
  EXPECT_EQ(compare_recordings(request, wrong, progress_).result, report::Result::pass);
  EXPECT_EQ(compared(reference, wrong, made.text).result, report::Result::fail);
}

const report::CalibratedBound* bound_on(const report::CalibratedRule& rule,
                                        const std::string& metric) {
  for (const report::CalibratedBound& bound : rule.bounds) {
    if (bound.metric == metric) return &bound;
  }
  return nullptr;
}

/// Half as far off again as the healthy run passes; ten times as far is inside the other bounds and
/// fails by its distance from the truth.
TEST_F(Calibrate, BoundsTheDistanceFromTheTruth) {
  const std::vector<FakeTap> taps = healthy_taps(1, 4);
  const auto reference = golden_with_truth("a.h5", other_rounding(taps, 3, 1e-6F), taps);
  const auto healthy = golden("b.h5", other_rounding(taps, 5, 1.2e-6F));
  const CalibratedPolicy made = made_from({reference, healthy});
  const report::CalibratedBound* ratio = bound_on(made.summary.rules.back(), "truth.ratio");
  ASSERT_NE(ratio, nullptr) << made.text;
  EXPECT_EQ(ratio->variation, "recording");
  EXPECT_NEAR(ratio->measured, 1.2, 0.3);
  EXPECT_GT(ratio->fail, 3);
  EXPECT_LT(ratio->fail, 20);
  EXPECT_TRUE(has(made.text, "metric = \"truth.ratio\"")) << made.text;
  EXPECT_TRUE(has(made.text, "optional = true"));
  EXPECT_FALSE(has(made.text, "no bound on truth.ratio:"));
  EXPECT_EQ(compared(reference, healthy, made.text).result, report::Result::pass);

  // Under the policy's ratio alone, the other bounds being wide.
  const std::string wide =
      "name = \"wide\"\n[[rule]]\ndtypes = [\"float32\"]\nreason = \"r\"\n"
      "bound = [{ metric = \"nrmse\", fail = 0.5 }, { metric = \"truth.ratio\", "
      "optional = true, fail = " +
      std::to_string(ratio->fail) + " }]\n";
  const auto further = golden("c.h5", other_rounding(taps, 6, 5e-5F));
  const report::Report failed = compared(reference, further, wide);
  EXPECT_EQ(failed.result, report::Result::fail);
  EXPECT_TRUE(has(failed.cases[0].taps[1].reasons.back(), "truth.ratio "));
  EXPECT_EQ(compared(reference, healthy, wide).result, report::Result::pass);
  // Without a truth, the same policy judges by the rest.
  EXPECT_EQ(compared(healthy, reference, made.text).result, report::Result::pass);
}

TEST_F(Calibrate, SaysWhyItHasNoBoundOnWhatAGoldenCannotGive) {
  const std::vector<FakeTap> taps = healthy_taps(2, 2);
  const CalibratedPolicy made =
      made_from({golden("a.h5", taps), golden("b.h5", other_rounding(taps, 5, 1e-6F))});
  EXPECT_TRUE(has(made.text, "# no bound on introduced.*: ")) << made.text;
  EXPECT_TRUE(has(made.text, "# no bound on truth.ratio: no golden here has a truth"));
  EXPECT_TRUE(
      has(made.text, "# no bound on what no run that differs measured here: introduced.nrmse, "));
  EXPECT_FALSE(has(made.text, "metric = \"introduced"));
  EXPECT_FALSE(has(made.text, "metric = \"truth.ratio"));
}

TEST_F(Calibrate, SaysWhichRunEachNumberComesFrom) {
  const std::vector<FakeTap> taps = healthy_taps(2, 4);
  const auto reference = golden("a.h5", taps, "ones:2", 3, 1e-6F);
  const auto near = golden("near.h5", other_rounding(taps, 5, 1e-7F));
  const CalibratedPolicy made = made_from({reference, near});
  ASSERT_EQ(made.summary.runs.size(), 2U);
  EXPECT_EQ(made.summary.runs[0].variation, "repeat");
  EXPECT_EQ(made.summary.runs[1].variation, "recording");
  const report::CalibratedRule& last = made.summary.rules.back();
  EXPECT_EQ(last.bounds[0].variation, "repeat");
  EXPECT_EQ(last.bounds[0].variations.size(), 2U);
  EXPECT_EQ(last.runs, 4) << "three repeats that differ and another golden";
  EXPECT_TRUE(has(made.text, "# worst ")) << made.text;
  EXPECT_TRUE(has(made.text, "repeats in "));
}

TEST_F(Calibrate, EmbeddingsThatNeverDifferAreHeldToOneRounding) {
  const std::vector<FakeTap> taps = healthy_taps(3, 2);
  const CalibratedPolicy made =
      made_from({golden("a.h5", taps), golden("b.h5", other_rounding(taps, 5, 1e-3F))});
  const report::CalibratedRule& embed = made.summary.rules.front();
  EXPECT_EQ(embed.layers, std::vector<std::string>{"embed"});
  EXPECT_LT(embed.bounds[0].fail, 2e-7);
}

TEST_F(Calibrate, RefusesRunsOfSomethingElse) {
  const std::vector<FakeTap> taps = healthy_taps(4, 2);
  const auto reference = golden("a.h5", taps);
  EXPECT_TRUE(
      has(refusal({reference, golden("inputs.h5", taps, "ones:3")}, ErrorKind::incompatible),
          "other inputs"));
  EXPECT_TRUE(
      has(refusal({reference, golden("taps.h5", {module_tap("x", {1, 2}), output_tap({1, 2}),
                                                 module_tap("y", {1, 2})})},
                  ErrorKind::usage),
          "bound"));
  std::vector<FakeTap> wide = taps;
  for (FakeTap& tap : wide) tap = test::widened(tap);
  EXPECT_TRUE(
      has(refusal({reference, golden("wide.h5", wide)}, ErrorKind::incompatible), "float64"));
  EXPECT_TRUE(has(refusal({reference, golden("same.h5", taps)}, ErrorKind::usage),
                  "nothing to calibrate from"));
  EXPECT_TRUE(has(refusal({reference}, ErrorKind::usage), "nothing to calibrate from"));
}

TEST_F(Calibrate, RefusesGoldensWithoutACommonTap) {
  const std::vector<FakeTap> reference = {module_tap("a", {1, 2})};
  const std::vector<FakeTap> other = {module_tap("b", {1, 2})};
  EXPECT_TRUE(
      has(refusal({golden("a.h5", reference), golden("b.h5", other)}, ErrorKind::incompatible),
          "no tap in common"));
}

TEST_F(Calibrate, NamesWhatNoPolicyLetsPass) {
  std::vector<FakeTap> taps = healthy_taps(5, 2);
  const auto reference = golden("a.h5", taps);
  std::vector<FakeTap> other = other_rounding(taps, 5, 1e-6F);
  std::vector<float> values(200, std::numeric_limits<float>::quiet_NaN());
  other[1].bytes = bytes_of(values);
  other.push_back(module_tap("additional", {1, 2}));
  const CalibratedPolicy made = made_from({reference, golden("b.h5", other)});
  ASSERT_EQ(made.summary.untestable.size(), 1U);
  EXPECT_EQ(made.summary.untestable[0].tap, "layers.0.attn");
  EXPECT_TRUE(has(made.text, "they fail whatever judges them"));
  ASSERT_FALSE(made.summary.notes.empty());
  EXPECT_TRUE(has(made.summary.notes[0], "1 tap was not compared, the first additional"))
      << made.summary.notes[0];
}

TEST_F(Calibrate, NamesSwitchesThatAreNoVariation) {
  const std::vector<FakeTap> taps = healthy_taps(6, 2);
  const auto write = [&](const std::string& name, const std::vector<FakeTap>& of,
                         const std::string& precision) {
    FakeModel model(of);
    model.facts.set("switch.fp32_matmul", precision);
    model.facts.set("switch.threads", precision == "ieee" ? "1" : "2");
    RecordRequest request;
    request.cases = {{"one", "ones:2"}};
    request.out = folder_.path() / name;
    golden_store::GoldenWriter writer(request.out, {});
    (void)record_cases(model, writer, request, progress_);
    return request.out;
  };
  const CalibratedPolicy made = made_from(
      {write("a.h5", taps, "ieee"), write("b.h5", other_rounding(taps, 5, 1e-3F), "tf32")});
  ASSERT_FALSE(made.summary.notes.empty());
  EXPECT_TRUE(has(made.text, "switch.fp32_matmul (ieee -> tf32), which the bounds now accept"));
  EXPECT_FALSE(has(made.text, "switch.threads ("));
}

TEST_F(Calibrate, MakesTheSameFileEveryTime) {
  const std::vector<FakeTap> taps = healthy_taps(7, 3);
  const auto reference = golden("a.h5", taps);
  const auto other = golden("b.h5", other_rounding(taps, 5, 1e-6F));
  EXPECT_EQ(made_from({reference, other}).text, made_from({reference, other}).text);
}

TEST_F(Calibrate, WritesNamesThatCannotHarmTheFile) {
  std::vector<FakeTap> taps = healthy_taps(8, 1);
  taps[1].id.path = "a\n[[rule]]\x01\"b\\.1";
  const auto reference = golden("a.h5", taps);
  const CalibratedPolicy made =
      made_from({reference, golden("b.h5", other_rounding(taps, 5, 1e-6F))});
  EXPECT_EQ(compared(reference, reference, made.text).result, report::Result::pass);
}

}  // namespace
}  // namespace parity::pipeline

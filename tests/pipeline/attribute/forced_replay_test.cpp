// The forced replay over a model whose layers compute from what the layer before them left.
#include <filesystem>

#include <gtest/gtest.h>

#include "error/error.h"
#include "golden_store/golden_reader.h"
#include "pipeline/compare/compare.h"
#include "pipeline/fake_model.h"
#include "pipeline/record/record.h"
#include "pipeline/temporary_folder.h"

namespace parity::pipeline {
namespace {

using test::bytes_of;
using test::module_tap;
using test::output_tap;

std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// Each layer doubles what it is given; `factors` says by how much a layer is wrong.
class Chain final : public model::Model {
 public:
  explicit Chain(std::map<std::string, float> factors = {}) : factors_(std::move(factors)) {
    description_.file_name = "chain.pt";
    description_.kind = "fake";
    description_.all_weights = run::digest_of_weights({});
  }
  [[nodiscard]] const run::ModelDescription& description() const override { return description_; }
  [[nodiscard]] run::Provenance provenance() const override { return {}; }
  [[nodiscard]] std::vector<std::string> notes() const override { return {}; }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return allocator_; }
  [[nodiscard]] bool is_logits(const run::TapId& /*output*/, const tensor::Shape& /*shape*/,
                               const tensor::Value& /*inputs*/) const override {
    return false;
  }
  void run(const tensor::Value& /*inputs*/, model::Instrumentation instrumentation,
           run::TapSink& sink) override {
    std::vector<float> state = {1, 2, 3, 5};
    for (const std::string name : {"a", "b", "c", "d"}) {
      const auto factor = factors_.find(name);
      for (float& value : state) value *= 2 * (factor == factors_.end() ? 1 : factor->second);
      if (instrumentation == model::Instrumentation::taps) state = tapped(name, state, sink);
    }
    const test::FakeTap output = output_tap(state);
    sink.on_tap(output.id, test::PlainTensor(output.dtype, output.shape, output.bytes));
  }

  bool refuses = false;  ///< to take a forced value
  std::string reshaped;  ///< layer whose value has another shape

 private:
  std::vector<float> tapped(const std::string& name, const std::vector<float>& state,
                            run::TapSink& sink) const {
    test::FakeTap tap = module_tap(name, state);
    if (name == reshaped) tap.shape = {2, 2};
    sink.on_tap(tap.id, test::PlainTensor(tap.dtype, tap.shape, tap.bytes));
    const std::optional<tensor::TensorView> forced = sink.forced_value(tap.id);
    if (!forced) return state;
    if (!refuses) return floats_of(forced->bytes);
    sink.on_not_forced(tap.id, "it refuses");
    return state;
  }

  std::map<std::string, float> factors_;
  run::ModelDescription description_;
  test::PlainAllocator allocator_;
};

class ForcedReplay : public testing::Test {
 protected:
  void record(const StoreChoice& store = {}) {
    Chain reference;
    RecordRequest request;
    request.cases = {{"one", "ones:2"}};
    request.out = folder_ / "golden.h5";
    request.store = store;
    golden_store::GoldenWriter writer(request.out, {});
    (void)record_cases(reference, writer, request, progress_);
  }

  report::Report replay(Chain& candidate, AttributionPass pass = AttributionPass::forced,
                        const std::vector<std::string>& layers = {}) {
    const golden_store::GoldenReader golden(folder_ / "golden.h5");
    ReplayRequest request;
    request.attribution = pass;
    request.compare.golden = folder_ / "golden.h5";
    if (!layers.empty()) request.compare.overrides.layers = layers;
    return replay_cases(candidate, golden, nullptr, request, progress_);
  }

  const test::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
  NoProgress progress_;
};

TEST_F(ForcedReplay, LeavesAtEachTapWhatItsLayerAddsItself) {
  record();
  Chain candidate({{"b", 1.25F}});
  const report::Report report = replay(candidate);
  const std::vector<double> free_running = {0, 0.25, 0.25, 0.25, 0.25};
  const std::vector<double> introduced = {0, 0.25, 0, 0, 0};
  ASSERT_EQ(report.cases.at(0).taps.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const report::Tap& tap = report.cases[0].taps[i];
    EXPECT_NEAR(tap.facts->nrmse, free_running[i], 1e-12) << run::to_string(tap.id);
    ASSERT_TRUE(tap.introduced.has_value()) << run::to_string(tap.id);
    EXPECT_NEAR(tap.introduced->nrmse, introduced[i], 1e-12) << run::to_string(tap.id);
  }
  ASSERT_TRUE(report.attribution.has_value());
  EXPECT_EQ(report.attribution->finding, "culprit");
  EXPECT_EQ(report.attribution->blame.at(0).tap.path, "b");
}

TEST_F(ForcedReplay, FindsTwoFaultsOfWhichOneHidesBehindTheOther) {
  record();
  Chain candidate({{"b", 1.25F}, {"c", 0.8F}});  // together they cancel
  const report::Report report = replay(candidate);
  EXPECT_NEAR(report.cases.at(0).taps.at(3).facts->nrmse, 0, 1e-6);
  ASSERT_EQ(report.attribution->blame.size(), 2U);
  EXPECT_EQ(report.attribution->blame[0].tap.path, "b");
  EXPECT_EQ(report.attribution->blame[1].tap.path, "c");
}

TEST_F(ForcedReplay, IsNotRunUnlessAskedFor) {
  record();
  Chain candidate;
  const report::Report report = replay(candidate, AttributionPass::none);
  EXPECT_FALSE(report.attribution.has_value());
  EXPECT_FALSE(report.cases.at(0).taps.at(0).introduced.has_value());
}

TEST_F(ForcedReplay, ForcesLayersThatTheComparisonLeavesOut) {
  record();
  Chain candidate({{"b", 1.25F}});
  const report::Report report = replay(candidate, AttributionPass::forced, {"c"});
  ASSERT_EQ(report.cases.at(0).taps.size(), 2U) << "c and the output";
  EXPECT_NEAR(report.cases[0].taps[0].facts->nrmse, 0.25, 1e-12);
  EXPECT_EQ(report.cases[0].taps[0].introduced->nrmse, 0);
}

TEST_F(ForcedReplay, SaysWhichTapKeptItsOwnValue) {
  record();
  Chain candidate({{"b", 1.25F}});
  candidate.refuses = true;
  const report::Report report = replay(candidate);
  const std::vector<std::string>& notes = report.cases.at(0).notes;
  ASSERT_EQ(notes.size(), 4U);
  EXPECT_NE(notes[1].find("b kept its own value in the forced pass: it refuses"), std::string::npos)
      << notes[1];
}

TEST_F(ForcedReplay, BlamesTheFirstLayerOfAnotherShape) {
  record();
  Chain candidate({{"d", 1.25F}});
  candidate.reshaped = "b";
  const report::Report report = replay(candidate);
  EXPECT_EQ(report.attribution->finding, "culprit");
  EXPECT_EQ(report.attribution->blame.at(0).tap.path, "b");
}

TEST_F(ForcedReplay, NeedsEveryTapInFull) {
  for (const StoreChoice& store :
       {StoreChoice{run::StoreMode::digest, 0}, StoreChoice{run::StoreMode::rows, 1}}) {
    record(store);
    Chain candidate;
    try {
      (void)replay(candidate);
      FAIL() << run::name(store.mode);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(std::string(error.what()).find("--store full"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace parity::pipeline

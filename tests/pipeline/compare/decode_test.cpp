// A decode from recording to report, with the built-in decoder and with decoders that go wrong only
// once they decode.
#include <algorithm>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "capture/capture_stream.h"
#include "golden_store/golden_reader.h"
#include "model/collecting_sink.h"
#include "model/decoder/decoder_fixture.h"
#include "pipeline/compare/compare.h"
#include "pipeline/compare/decode_facts.h"
#include "pipeline/compare/inspect.h"
#include "pipeline/compare/same_inputs.h"
#include "pipeline/compare/selfcheck.h"
#include "pipeline/record/record.h"
#include "tensor/digest.h"

namespace parity::pipeline {
namespace {

using model::ids;
using run::Verdict;

constexpr std::int64_t kSteps = 4;

/// Value that a decoder goes on with behind a tap, instead of its own; nullopt: its own.
using Fault = std::function<std::optional<tensor::TensorView>(
    const run::TapId& id, const std::optional<tensor::TensorView>& forced)>;

/// Between a decoder and its sink: lets the sink see what the decoder made, then spoils it.
class SpoilingSink final : public run::TapSink {
 public:
  SpoilingSink(run::TapSink& sink, const Fault& fault) : sink_(sink), fault_(fault) {}

  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    sink_.on_tap(id, value);
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    sink_.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    const std::optional<tensor::TensorView> forced = sink_.forced_value(id);
    const std::optional<tensor::TensorView> spoilt = fault_(id, forced);
    return spoilt ? spoilt : forced;
  }
  void on_not_forced(const run::TapId& id, const std::string& reason) override {
    sink_.on_not_forced(id, reason);
  }

 private:
  run::TapSink& sink_;
  const Fault& fault_;
};

class SpoilingModel final : public model::Model {
 public:
  SpoilingModel(std::unique_ptr<model::Model> good, Fault fault)
      : good_(std::move(good)), fault_(std::move(fault)) {}

  [[nodiscard]] const run::ModelDescription& description() const override {
    return good_->description();
  }
  [[nodiscard]] run::Provenance provenance() const override { return good_->provenance(); }
  [[nodiscard]] std::vector<std::string> notes() const override { return good_->notes(); }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return good_->host_allocator(); }
  void run(const tensor::Value& inputs, model::Instrumentation instrumentation,
           run::TapSink& sink) override {
    SpoilingSink spoiling(sink, fault_);
    good_->run(inputs, instrumentation, spoiling);
  }
  [[nodiscard]] bool is_logits(const run::TapId& output, const tensor::Shape& shape,
                               const tensor::Value& inputs) const override {
    return good_->is_logits(output, shape, inputs);
  }

 private:
  std::unique_ptr<model::Model> good_;
  Fault fault_;
};

class DecodePipeline : public model::DecoderFixture {
 protected:
  void SetUp() override {
    // Random weights of their usual size: logits that differ, and a choice that is not always one.
    write(model::patched(model::llama_like_config("llama"), R"({"vocab_size": 40})"));
    request.decode_steps = kSteps;
    request.cases = {{"one", "tokens:2x6:40"}};
  }

  [[nodiscard]] std::filesystem::path file(const std::string& name) const {
    return source.model.parent_path() / name;
  }
  [[nodiscard]] std::unique_ptr<model::Model> open() const {
    return model::open_model(source, settings);
  }

  RecordSummary record(const std::string& name) {
    request.out = file(name);
    request.settings = settings;
    golden_store::GoldenWriter writer(request.out, {});
    const OpenModel again = [this](const run::Settings& other) {
      return model::open_model(source, other);
    };
    return record_cases(open(), again, writer, request, progress);
  }

  report::Report replay(model::Model& candidate, const std::string& name,
                        AttributionPass pass = AttributionPass::none) {
    const golden_store::GoldenReader golden(file(name));
    ReplayRequest wanted;
    wanted.compare.golden = file(name);
    wanted.compare.weights = WeightsRule::any;
    wanted.settings = settings;
    wanted.attribution = pass;
    return replay_cases(candidate, golden, nullptr, wanted, progress);
  }

  report::Report compare_files(const std::string& reference, const std::string& candidate) {
    CompareRequest wanted;
    wanted.golden = file(reference);
    return compare_recordings(wanted, file(candidate), progress);
  }

  /// The values of every tap of a sound run of the golden's case.
  std::map<std::string, tensor::HostTensor> sound_values(const std::string& name) {
    model::CollectingSink sink;
    open()->run(golden_store::GoldenReader(file(name)).read_inputs(0), model::Instrumentation::taps,
                sink);
    return sink.tensors;
  }

  RecordRequest request;
  NoProgress progress;
};

bool mentions(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

TEST_F(DecodePipeline, IsTheSameInEveryBitWhereverItRunsOnOneHost) {
  (void)record("golden.h5");
  (void)record("again.h5");
  const golden_store::GoldenReader golden(file("golden.h5"));
  const golden_store::GoldenReader again(file("again.h5"));
  EXPECT_TRUE(same_inputs(golden.read_inputs(0), again.read_inputs(0)));
  const auto fed = fed_tokens(golden.read_inputs(0), golden.cases().at(0));
  ASSERT_TRUE(fed.has_value());
  EXPECT_EQ(fed->rows, 2);
  EXPECT_EQ(fed->steps, kSteps);
  const auto model = open();
  for (const report::Report& report :
       {replay(*model, "golden.h5"), compare_files("golden.h5", "again.h5")}) {
    EXPECT_EQ(report.exit_code, 0);
    for (const report::Tap& tap : report.cases.at(0).taps)
      EXPECT_EQ(tap.verdict, Verdict::identical) << run::to_string(tap.id);
    ASSERT_TRUE(report.cases[0].decode.has_value());
    const report::Decode& decode = *report.cases[0].decode;
    EXPECT_EQ(decode.steps, kSteps);
    EXPECT_EQ(decode.rows, 2);
    EXPECT_EQ(decode.tokens, 2U * (kSteps + 1));
    EXPECT_EQ(decode.compared, decode.tokens);
    EXPECT_EQ(decode.agree, decode.tokens);
    EXPECT_FALSE(decode.first_divergent.has_value());
    EXPECT_EQ(decode.verdict, Verdict::within);
    EXPECT_EQ(decode.logits.positions, 2U * kSteps);
    EXPECT_EQ(report.cases[0].logits.size(), kSteps + 1U) << "every step's logits are judged";
  }
}

TEST_F(DecodePipeline, IsNoneWithoutTokensToDecode) {
  request.decode_steps = 0;
  (void)record("golden.h5");
  const auto model = open();
  const report::Report report = replay(*model, "golden.h5");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_FALSE(report.cases.at(0).decode.has_value());
  EXPECT_FALSE(inspect(file("golden.h5"), "").cases.at(0).decode.has_value());
}

TEST_F(DecodePipeline, IsShownByInspect) {
  (void)record("golden.h5");
  const auto decode = inspect(file("golden.h5"), "").cases.at(0).decode;
  ASSERT_TRUE(decode.has_value());
  EXPECT_EQ(decode->steps, kSteps);
  EXPECT_EQ(decode->rows, 2);
}

TEST_F(DecodePipeline, RunsATruthWithTheSameTokens) {
  request.truth.dtype = tensor::DType::float64;
  (void)record("golden.h5");
  const golden_store::GoldenReader golden(file("golden.h5"));
  const run::CaseRecord& one = golden.cases().at(0);
  ASSERT_TRUE(one.truth.has_value());
  EXPECT_EQ(one.truth->taps.size(), one.taps.size());
  EXPECT_EQ(one.truth->taps.back().id, one.taps.back().id);
  const auto model = open();
  const report::Report report = replay(*model, "golden.h5");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_TRUE(report.cases.at(0).logits.back().truth.has_value());
  EXPECT_EQ(report.cases[0].decode->verdict, Verdict::within);
}

TEST_F(DecodePipeline, JudgesTokensWhateverElseIsStoredOfTheTaps) {
  for (const StoreChoice store :
       {StoreChoice{run::StoreMode::digest, 0}, StoreChoice{run::StoreMode::rows, 2}}) {
    request.store = store;
    (void)record("golden.h5");
    const auto model = open();
    const report::Report report = replay(*model, "golden.h5");
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.cases.at(0).decode->agree, 2U * (kSteps + 1));
  }
}

TEST_F(DecodePipeline, LeavesTheCacheOutWhereItIsNotWanted) {
  request.taps.skip = {"**/kv_cache.*"};
  (void)record("golden.h5");
  const golden_store::GoldenReader golden(file("golden.h5"));
  for (const run::TapRecord& tap : golden.cases().at(0).taps)
    EXPECT_EQ(tap.id.op.find("kv_cache"), std::string::npos) << run::to_string(tap.id);
  const auto model = open();
  EXPECT_EQ(replay(*model, "golden.h5").exit_code, 0);
  EXPECT_EQ(replay(*model, "golden.h5").cases.at(0).decode->agree, 2U * (kSteps + 1));
}

/// Rotary angles of the position behind, from the first step on.
TEST_F(DecodePipeline, FailsADecoderThatIsOffByOnePositionOnlyOnceItDecodes) {
  (void)record("golden.h5");
  const auto values = sound_values("golden.h5");
  SpoilingModel candidate(
      open(), [&](const run::TapId& id, const auto&) -> std::optional<tensor::TensorView> {
        if (id.path != "model.rotary_emb" || id.call < 1 || id.call == kSteps) return std::nullopt;
        run::TapId next = id;
        ++next.call;
        return values.at(run::to_string(next)).view();
      });
  const report::Report report = replay(candidate, "golden.h5");
  EXPECT_EQ(report.exit_code, 1);
  ASSERT_TRUE(report.first_divergence.has_value());
  EXPECT_EQ(run::to_string(report.first_divergence->tap),
            "model.layers.0.self_attn/kv_cache.keys#1");
  for (const report::Tap& tap : report.cases.at(0).taps) {
    if (tap.id.call > 0) continue;
    EXPECT_EQ(tap.verdict, Verdict::identical) << run::to_string(tap.id);
  }
}

/// The new key of one layer is written wrongly into the cache at one step.
TEST_F(DecodePipeline, BlamesTheCacheOfTheLayerAndTheStepThatSpoiltIt) {
  (void)record("golden.h5");
  const tensor::HostTensor key = sound_values("golden.h5").at("model.layers.1.self_attn.k_proj#2");
  std::vector<float> wrong(key.bytes().size() / sizeof(float));
  std::memcpy(wrong.data(), key.bytes().data(), key.bytes().size());
  for (float& value : wrong) value *= 1.25F;
  SpoilingModel candidate(
      open(), [&](const run::TapId& id, const auto&) -> std::optional<tensor::TensorView> {
        if (run::to_string(id) != "model.layers.1.self_attn.k_proj#2") return std::nullopt;
        return tensor::TensorView{key.dtype(), key.shape(), std::as_bytes(std::span(wrong))};
      });
  const report::Report report = replay(candidate, "golden.h5", AttributionPass::forced);
  EXPECT_EQ(report.exit_code, 1);
  const std::string guilty = "model.layers.1.self_attn/kv_cache.keys#2";
  EXPECT_EQ(run::to_string(report.first_divergence->tap), guilty);
  ASSERT_TRUE(report.attribution.has_value());
  EXPECT_EQ(report.attribution->finding, "culprit");
  ASSERT_EQ(report.attribution->blame.size(), 1U);
  EXPECT_EQ(run::to_string(report.attribution->blame[0].tap), guilty);
  ASSERT_FALSE(report.attribution->blame[0].operators.empty());
  EXPECT_EQ(report.attribution->blame[0].operators.back().name, "aten.cat");
  for (const report::Tap& tap : report.cases.at(0).taps) {
    if (!tap.introduced || run::to_string(tap.id) == guilty) continue;
    EXPECT_EQ(tap.introduced->nrmse, 0) << run::to_string(tap.id);
  }
}

TEST_F(DecodePipeline, NamesTheFirstTokenOnWhichTheSidesPart) {
  (void)record("golden.h5");
  const auto fed = fed_tokens(golden_store::GoldenReader(file("golden.h5")).read_inputs(0)).value();
  fill("lm_head.weight", 0.0F);  // every logit is equal: the first token is chosen
  const auto candidate = open();
  const report::Report report = replay(*candidate, "golden.h5");
  EXPECT_EQ(report.exit_code, 1);
  const report::Decode& decode = report.cases.at(0).decode.value();
  EXPECT_EQ(decode.compared, decode.tokens);
  ASSERT_TRUE(decode.first_divergent.has_value());
  const report::DivergentToken& token = *decode.first_divergent;
  EXPECT_EQ(token.token, token.step + 1);
  EXPECT_EQ(token.candidate, 0);
  ASSERT_LT(token.step, kSteps);
  EXPECT_EQ(token.reference, fed.ids.at(static_cast<std::size_t>(token.row * kSteps + token.step)));
  EXPECT_GT(token.margin, 0);
  EXPECT_EQ(token.decided, token.margin >= 2.0);
  EXPECT_LT(decode.agree, decode.tokens);
}

/// Two goldens that each decoded on their own and parted on the way.
TEST_F(DecodePipeline, ComparesOnlyTokensBehindEqualOnesOfTwoGoldens) {
  const auto prompt = ids({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto golden_of = [&](const std::string& name, const std::vector<std::int64_t>& tokens) {
    const tensor::Value inputs{tensor::ValueDict{
        {{"input_ids", prompt},
         {"decode_tokens", ids({2, static_cast<std::int64_t>(tokens.size()) / 2}, tokens)}}}};
    golden_store::GoldenWriter writer(file(name), {});
    const auto model = open();
    writer.begin_case("one", inputs);
    GoldenSink sink(writer, {}, *model, inputs, progress);
    capture::TapFilter everything({}, {});
    capture::CaptureStream stream(model->host_allocator(), everything, sink, {});
    model->run(inputs, model::Instrumentation::taps, stream);
    stream.finish();
    writer.end_case(stream.skipped(), {});
    writer.finish({model->description(), model->provenance(), {}});
  };
  golden_of("reference.h5", {7, 8, 9, 10, 11, 12});
  golden_of("parted.h5", {7, 8, 9, 10, 13, 12});
  golden_of("shorter.h5", {7, 8, 10, 11});
  const auto compare = [&](const std::string& candidate) {
    return compare_files("reference.h5", candidate);
  };
  const report::Report parted = compare("parted.h5");
  EXPECT_EQ(parted.exit_code, 1);
  const report::Decode& decode = parted.cases.at(0).decode.value();
  EXPECT_EQ(decode.tokens, 8U);
  EXPECT_EQ(decode.compared, 6U) << "row 0 to its end, row 1 up to the token that step 2 is fed";
  EXPECT_EQ(decode.agree, 6U);
  EXPECT_EQ(decode.logits.positions, 2U) << "of step 1 alone";
  EXPECT_TRUE(mentions(parted.cases[0].notes,
                       "decoded with different tokens from step 2 on (row 1: 11 and 13)"))
      << parted.cases[0].notes.back();
  const report::Report shorter = compare("shorter.h5");
  EXPECT_EQ(shorter.cases.at(0).decode->compared, 6U);
  EXPECT_TRUE(mentions(shorter.cases[0].notes, "from step 3 on (row 0: 9 and none)"));
}

/// Two tokens whose probabilities are further apart than an average may be, but not than one may.
TEST_F(DecodePipeline, JudgesAveragesWhereALaterOutputIsNoStep) {
  const auto golden_of = [&](const std::string& name, const std::vector<float>& logits) {
    golden_store::GoldenWriter writer(file(name), {});
    writer.begin_case("one", {});
    for (const std::int64_t call : {0, 1}) {
      run::TapRecord tap;
      tap.id = {run::TapKind::output, std::string(run::kOutputPath), "", call, ""};
      tap.shape = {1, 1, 2};
      tap.role = run::Role::logits;
      const auto bytes = std::as_bytes(std::span(logits));
      tap.digest = tensor::digest_of(bytes);
      writer.add_tap(tap, bytes);
    }
    writer.end_case({}, {});
    const auto model = open();
    writer.finish({model->description(), model->provenance(), {}});
  };
  golden_of("reference.h5", {1.0F, 0.0F});
  golden_of("candidate.h5", {1.3F, 0.0F});
  const report::Report report = compare_files("reference.h5", "candidate.h5");
  EXPECT_FALSE(report.cases.at(0).decode.has_value());
  ASSERT_EQ(report.cases[0].logits.size(), 2U);
  for (const report::Logits& logits : report.cases[0].logits) {
    EXPECT_LT(logits.facts.kl.max, 1e-2);
    EXPECT_EQ(logits.verdict, Verdict::diverged) << run::to_string(logits.id);
  }
}

TEST_F(DecodePipeline, IsJudgedWhereADeviceIsHeldAgainstItself) {
  SelfcheckRequest wanted;
  wanted.settings = settings;
  wanted.cases = {{"one", "given"}};
  const auto model = open();
  const tensor::Value inputs{tensor::ValueDict{{{"input_ids", ids({2, 3}, {1, 2, 3, 4, 5, 6})},
                                                {"decode_tokens", ids({2, 2}, {7, 8, 9, 10})}}}};
  const report::Report report = selfcheck_model(*model, {inputs}, wanted, progress);
  EXPECT_GT(report.cases.size(), 4U) << "rows alone as well";
  for (const report::Case& one : report.cases) {
    ASSERT_TRUE(one.decode.has_value()) << one.name;
    EXPECT_EQ(one.decode->verdict, Verdict::within) << one.name;
    EXPECT_EQ(one.decode->steps, 2);
    EXPECT_EQ(one.decode->compared, one.decode->tokens) << one.name;
  }
}

}  // namespace
}  // namespace parity::pipeline

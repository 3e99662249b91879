#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/exported/flat_graph.h"
#include "model/exported/program_file.h"
#include "model/exported/written_inputs.h"
#include "model/inputs.h"
#include "model/model.h"
#include "model/operator_trace.h"
#include "model/weights/file_writers.h"
#include "model/weights/zip_archive.h"

namespace parity::model {
namespace {

const std::filesystem::path kFixtures = PARITY_EXPORTED_FIXTURES;

std::unique_ptr<Model> open(const std::string& name, run::Settings settings = {}) {
  settings.device = "cpu";
  Source source;
  source.model = kFixtures / name;
  return open_model(source, settings);
}

CollectingSink run_of(Model& model, const tensor::Value& inputs,
                      Instrumentation instrumentation = Instrumentation::taps) {
  CollectingSink sink;
  model.run(inputs, instrumentation, sink);
  return sink;
}

tensor::Value samples() { return sample_inputs(kFixtures / "tokens.pt2"); }

bool same_bytes(const tensor::HostTensor& one, const tensor::HostTensor& other) {
  return one.dtype() == other.dtype() && one.shape() == other.shape() &&
         std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin(),
                    other.bytes().end());
}

std::string refusal(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ExportedModel, DescribesTheFile) {
  const auto model = open("tokens.pt2");
  EXPECT_EQ(model->description().kind, "exported_program");
  EXPECT_EQ(model->vocabulary(), 24);
  EXPECT_EQ(model->description().file_name, "tokens.pt2");
  std::set<std::string> names;
  for (const run::WeightDigest& weight : model->description().weights) names.insert(weight.name);
  for (const char* const name : {"embed.weight", "head.weight", "block.norm.bias", "calls"})
    EXPECT_EQ(names.count(name), 1U) << name;
  const run::Provenance facts = model->provenance();
  EXPECT_EQ(facts.get("model.exported_by").substr(0, 2), "2.");
}

TEST(ExportedModel, RunsTwiceFromFreshState) {
  const auto model = open("tokens.pt2");
  const CollectingSink first = run_of(*model, samples());
  const CollectingSink second = run_of(*model, samples());
  const CollectingSink plain = run_of(*model, samples(), Instrumentation::outputs_only);
  ASSERT_GT(first.names.size(), 15U);
  EXPECT_EQ(first.names, second.names);
  for (const std::string& name : first.names)
    EXPECT_TRUE(same_bytes(first.tensors.at(name), second.tensors.at(name)))
        << name << ": the counting buffer of the first run is left";
  ASSERT_EQ(plain.names, (std::vector<std::string>{"<output>:logits", "<output>:pooled.0"}));
  for (const std::string& name : plain.names)
    EXPECT_TRUE(same_bytes(first.tensors.at(name), plain.tensors.at(name))) << name;
}

TEST(ExportedModel, NamesRepeatedCallsAndOutputs) {
  const auto model = open("tokens.pt2");
  const CollectingSink sink = run_of(*model, samples());
  const auto at = [&](const std::string& name) {
    return std::find(sink.names.begin(), sink.names.end(), name) - sink.names.begin();
  };
  EXPECT_LT(at("block.up"), at("block"));
  EXPECT_LT(at("block"), at("block.up#1"));
  EXPECT_LT(at("block#1"), at("last"));
  EXPECT_LT(at("head"), at("<output>:logits"));
  ASSERT_EQ(sink.skipped.size(), 1U);
  EXPECT_EQ(sink.skipped[0].first, "<output>:pooled.1");
  EXPECT_TRUE(
      model->is_logits({run::TapKind::output, "<output>", "", 0, "logits"}, {2, 6, 24}, samples()));
}

/// Puts zeros in the place of one tap.
class Zeroing final : public run::TapSink {
 public:
  explicit Zeroing(std::string name) : name_(std::move(name)) {}
  void on_tap(const run::TapId& id, const run::DeviceTensor& value) override {
    sink.on_tap(id, value);
    size_ = value.size_bytes();
    shape_ = value.shape();
  }
  void on_skipped(const run::TapId& id, const std::string& reason) override {
    sink.on_skipped(id, reason);
  }
  std::optional<tensor::TensorView> forced_value(const run::TapId& id) override {
    if (run::to_string(id) != name_) return std::nullopt;
    zeros_.assign(size_, std::byte{});
    return tensor::TensorView{tensor::DType::float32, shape_, zeros_};
  }
  void on_not_forced(const run::TapId& /*id*/, const std::string& reason) override {
    not_forced = reason;
  }

  CollectingSink sink;
  std::string not_forced;

 private:
  std::string name_;
  std::size_t size_ = 0;
  tensor::Shape shape_;
  std::vector<std::byte> zeros_;
};

TEST(ExportedModel, GoesOnFromAForcedValue) {
  const auto model = open("tokens.pt2");
  const CollectingSink free = run_of(*model, samples());
  Zeroing forced("last");
  model->run(samples(), Instrumentation::taps, forced);
  EXPECT_EQ(forced.not_forced, "");
  EXPECT_TRUE(same_bytes(forced.sink.tensors.at("last"), free.tensors.at("last")));
  const tensor::HostTensor& logits = forced.sink.tensors.at("<output>:logits");
  for (std::size_t i = 0; i < logits.bytes().size(); i += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, logits.bytes().data() + i, sizeof(float));
    EXPECT_EQ(value, 0.0F) << "what comes behind a layer that is forced to zero";
  }
}

TEST(ExportedModel, LeavesTheMappedWeightsAloneWhateverIsForced) {
  const auto model = open("tokens.pt2");
  const CollectingSink before = run_of(*model, samples());
  for (const std::string& name : before.names) {
    Zeroing forced(name);
    model->run(samples(), Instrumentation::taps, forced);
  }
  const CollectingSink after = run_of(*model, samples());
  for (const std::string& name : before.names)
    EXPECT_TRUE(same_bytes(before.tensors.at(name), after.tensors.at(name))) << name;
}

TEST(ExportedModel, RunsInAnotherDtype) {
  run::Settings settings;
  settings.dtype = tensor::DType::float64;
  const auto model = open("tokens.pt2", settings);
  const CollectingSink wide = run_of(*model, samples());
  EXPECT_EQ(wide.tensors.at("block").dtype(), tensor::DType::float64);
  EXPECT_EQ(wide.tensors.at("<output>:logits").dtype(), tensor::DType::float64);
}

TEST(ExportedModel, TakesOtherSizesInTheRangeOfTheExport) {
  const auto model = open("tokens.pt2");
  const CollectingSink sink = run_of(*model, load_inputs("tokens:5x17:24", 0, 0));
  EXPECT_EQ(sink.tensors.at("<output>:logits").shape(), (tensor::Shape{5, 17, 24}));
  const std::string message =
      refusal([&] { (void)run_of(*model, load_inputs("tokens:9x17:24", 0, 0)); });
  EXPECT_NE(message.find("size 0 of argument 'tokens' is 9"), std::string::npos) << message;
  EXPECT_NE(model->refusal_of(load_inputs("tokens:9x17:24", 0, 0)), "");
  EXPECT_EQ(model->refusal_of(samples()), "");
}

/// The file with every device of its operators another one.
std::filesystem::path exported_on_a_gpu(const testing::TemporaryFolder& folder) {
  const ZipArchive zip(map_file(kFixtures / "tokens.pt2"), "tokens.pt2");
  testing::Records records;
  for (const ZipArchive::Entry& entry : zip.entries()) {
    std::string content(as_text(zip.read(entry.name)->bytes));
    const std::string own = R"({"type":"cpu","index":null})";
    const std::string other = R"({"type":"cuda","index":1})";
    const bool program = entry.name.find("models/") != std::string::npos;
    if (program) {
      std::erase(content, ' ');
      for (std::size_t at = content.find(own); at != std::string::npos; at = content.find(own, at))
        content.replace(at, own.size(), other);
    }
    records.emplace_back(entry.name, std::move(content));
  }
  return folder.write("tokens.pt2", testing::zip_of(records));
}

TEST(ExportedModel, PutsTheRunsDeviceInThePlaceOfTheExports) {
  const testing::TemporaryFolder folder;
  Source source;
  source.model = exported_on_a_gpu(folder);
  run::Settings settings;
  settings.device = "cpu";
  const auto moved = open_model(source, settings);
  const CollectingSink there = run_of(*moved, samples());
  const CollectingSink here = run_of(*open("tokens.pt2"), samples());
  for (const std::string& name : here.names)
    EXPECT_TRUE(same_bytes(here.tensors.at(name), there.tensors.at(name))) << name;
  const std::vector<std::string> notes = moved->notes();
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("device that is fixed in the program was replaced by cpu") !=
           std::string::npos;
  }));
}

TEST(ExportedModel, ListsAllThatCannotRunBeforeTheRun) {
  const std::string missing = refusal([] { (void)open("missing_operator.pt2"); });
  for (const char* const part : {"cannot run", "parity_fixture::halve", "--library"})
    EXPECT_NE(missing.find(part), std::string::npos) << missing;
  const std::string mapped = refusal([] { (void)open("mapped.pt2"); });
  for (const char* const part : {"cannot run", "map_impl", "torch.export"})
    EXPECT_NE(mapped.find(part), std::string::npos) << mapped;
}

TEST(ExportedModel, NamesOperatorAndLayerOfAFailure) {
  const auto model = open("tokens.pt2");
  const std::string message =
      refusal([&] { (void)run_of(*model, load_inputs("tokens:2x6:999", 0, 0)); });
  EXPECT_NE(message.find("running op aten.embedding of layer embed"), std::string::npos) << message;
  EXPECT_NE(message.find("index out of range"), std::string::npos) << message;
}

TEST(ExportedModel, RefusesFlagsOfOtherKinds) {
  Source source;
  source.model = kFixtures / "tokens.pt2";
  run::Settings settings;
  settings.device = "cpu";
  source.config = "config.json";
  EXPECT_NE(refusal([&] { (void)open_model(source, settings); }).find("an exported program"),
            std::string::npos);
  source.config.clear();
  source.method = "encode";
  EXPECT_NE(refusal([&] { (void)open_model(source, settings); }).find("--method"),
            std::string::npos);
}

TEST(ExportedModel, TracesOperatorsWithTheirLines) {
  const auto model = open("tokens.pt2");
  CollectingSink sink;
  const Segment segment{run::TapId{run::TapKind::module, "last.norm", "", 0, ""},
                        run::TapId{run::TapKind::module, "last.up", "", 0, ""}};
  const auto trace = trace_operators(*model, samples(), segment, sink);
  ASSERT_EQ(trace->operators().size(), 1U);
  EXPECT_EQ(trace->operators()[0].name, "aten.linear");
  EXPECT_EQ(trace->operators()[0].source.rfind("make_programs.py:", 0), 0U)
      << trace->operators()[0].source;
  const OwnValues own = trace->in_float64(0);
  EXPECT_EQ(own.not_judged, "");
  EXPECT_EQ(own.values.size(), 1U);
}

TEST(WrittenInputs, AreThoseThatAnOperatorOrATapMayReach) {
  const ProgramFile file = read_program_file(kFixtures / "tokens.pt2");
  const auto flat = flatten(file.program.graph, "tokens.pt2");
  std::set<std::string> names;
  for (const std::size_t index : written_inputs(*flat))
    names.insert(file.program.inputs[index].target);
  EXPECT_EQ(names, (std::set<std::string>{"calls"}))
      << "add_ writes into it, and relu_ into no weight";
}

// A forced replay writes the golden's values into what a tap hands out.
TEST(WrittenInputs, AreWeightsThatATapHandsOut) {
  const ProgramFile file = read_program_file(kFixtures / "tokens.pt2");
  const auto flat = flatten(file.program.graph, "tokens.pt2");
  const auto& inputs = file.program.inputs;
  const auto embedding = std::find_if(inputs.begin(), inputs.end(), [](const ProgramInput& input) {
    return input.target == "embed.weight";
  });
  ASSERT_NE(embedding, inputs.end());
  const auto index = static_cast<std::size_t>(embedding - inputs.begin());
  EXPECT_EQ(written_inputs(*flat).count(index), 0U);
  flat->taps.push_back({0, run::TapKind::module, "embed", "", tree_of({flat->inputs[index]})});
  EXPECT_EQ(written_inputs(*flat).count(index), 1U);
}

}  // namespace
}  // namespace parity::model

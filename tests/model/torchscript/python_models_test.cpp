// Files that Python made, run per layer: names, order and bits of every module's output are those
// that PyTorch's own forward hooks saw on the Python model.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/model.h"
#include "model/torchscript/python_case.h"

namespace parity::model {
namespace {

run::Settings cpu_settings() {
  run::Settings settings;
  settings.device = "cpu";
  settings.threads = 1;
  return settings;
}

/// Two versions of torch may round differently: only equal ones must agree bit for bit.
bool same_torch(const Model& model) {
  return model.provenance().get("library.torch") == python_torch_version();
}

std::unique_ptr<Model> open_case(const PythonCase& example, const run::Settings& settings) {
  Source source;
  source.model = example.file;
  return open_model(source, settings);
}

/// Names of module and output taps in execution order: hooks know no op taps.
std::vector<std::string> layer_names(const CollectingSink& sink) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sink.ids.size(); ++i) {
    if (sink.ids[i].kind != run::TapKind::op) names.push_back(sink.names[i]);
  }
  return names;
}

std::vector<std::string> op_names(const CollectingSink& sink) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sink.ids.size(); ++i) {
    if (sink.ids[i].kind == run::TapKind::op) names.push_back(sink.names[i]);
  }
  return names;
}

void expect_equal_taps(const CollectingSink& one, const CollectingSink& other,
                       const std::string& what) {
  for (const auto& [name, value] : other.tensors) {
    const auto found = one.tensors.find(name);
    ASSERT_NE(found, one.tensors.end()) << what << ": " << name;
    EXPECT_EQ(difference(found->second, value), "") << what << ": " << name;
  }
}

bool has_note(const Model& model, const std::string& part) {
  const std::vector<std::string> notes = model.notes();
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

class PythonModels : public testing::TestWithParam<const char*> {};

TEST_P(PythonModels, GiveWhatForwardHooksSawAndTheSameAgain) {
  const PythonCase example = read_python_case(GetParam());
  const auto model = open_case(example, cpu_settings());
  CollectingSink first;
  CollectingSink second;
  CollectingSink plain;
  model->run(example.inputs, Instrumentation::taps, first);
  model->run(example.inputs, Instrumentation::outputs_only, plain);
  model->run(example.inputs, Instrumentation::taps, second);

  std::vector<std::string> expected_names;
  for (const auto& [name, value] : example.taps) expected_names.push_back(name);
  EXPECT_EQ(layer_names(first), expected_names);
  EXPECT_EQ(first.names, second.names);
  expect_equal_taps(first, second, "second run");
  EXPECT_FALSE(plain.names.empty());
  expect_equal_taps(first, plain, "run without taps");
  if (!same_torch(*model)) {
    GTEST_SKIP() << "Python's torch " << python_torch_version()
                 << " is not the LibTorch of this build: bits not compared";
  }
  for (const auto& [name, value] : example.taps) {
    const auto found = first.tensors.find(name);
    if (found == first.tensors.end()) continue;  // the comparison of names has said so
    EXPECT_EQ(difference(value, found->second), "") << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, PythonModels,
                         testing::Values("scripted_mlp", "traced_mlp", "conv_net", "shared", "loop",
                                         "nested", "stateful", "attention", "comprehension",
                                         "dynamic", "through_interface", "fork", "guarded", "lstm",
                                         "traced_shared", "defaults", "writes_weights",
                                         "plain_function", "minilm"),
                         [](const auto& each) { return std::string(each.param); });

TEST(TorchScriptOpTaps, NameFunctionalOpsButNotWhatAModuleReturnsAnyway) {
  const PythonCase example = read_python_case("attention");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(op_names(sink),
            (std::vector<std::string>{
                "blocks.0/aten.scaled_dot_product_attention", "blocks.0/aten.matmul",
                "blocks.0/aten.softmax", "blocks.0/aten.bmm",
                "blocks.1/aten.scaled_dot_product_attention", "blocks.1/aten.matmul",
                "blocks.1/aten.softmax", "blocks.1/aten.bmm"}));
}

TEST(TorchScriptOpTaps, CoverEveryTensorOpWhenAskedFor) {
  const PythonCase example = read_python_case("traced_shared");
  run::Settings settings = cpu_settings();
  settings.taps = run::TapDepth::ops;
  const auto model = open_case(example, settings);
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(sink.names,
            (std::vector<std::string>{"fc.0/aten.linear", "fc.0", "fc.1/aten.tanh", "fc.1", "fc",
                                      "/aten.add", "fc.0/aten.linear#1", "fc.0#1",
                                      "fc.1/aten.tanh#1", "fc.1#1", "fc#1", "<output>"}));
}

TEST(TorchScriptOpTaps, StandInForTheLayersOfAFrozenModule) {
  const PythonCase example = read_python_case("frozen");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"/aten.conv2d", "<output>"}));
  EXPECT_GT(model->description().parameter_count, 0U);
  EXPECT_FALSE(model->description().weights.empty());
}

TEST(TorchScriptMethods, WithoutForwardTheOnlyMethodRunsAndSubmoduleMethodsKeepTheirNames) {
  const PythonCase example = read_python_case("methods");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(sink.names,
            (std::vector<std::string>{"inner.fc", "inner.encode", "inner", "<output>"}));
  if (same_torch(*model)) {
    EXPECT_EQ(difference(example.taps.at(0).second, sink.tensors.at("<output>")), "");
  }
  EXPECT_EQ(model->provenance().get("model.method"), "embed");
}

TEST(TorchScriptFork, WithFuturesInAListIsRunButNotTappedAndSaidSo) {
  const PythonCase example = read_python_case("fork_list");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"right", "<output>"}));
  if (same_torch(*model)) {
    EXPECT_EQ(difference(example.taps.at(0).second, sink.tensors.at("<output>")), "");
  }
  EXPECT_TRUE(has_note(*model, "torch.jit.fork"));
}

TEST(TorchScriptTrace, MadeInTrainingModeIsSaidToStayRandom) {
  const PythonCase example = read_python_case("traced_in_training");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_TRUE(has_note(*model, "layer 1: was traced in training mode"));
}

TEST(CustomLibraries, LendTheirOperatorsAndTheseAreTapped) {
  const PythonCase example = read_python_case("custom_op");
  Source source;
  source.model = example.file;
  // Without the library the file cannot even be read. Operators stay for the life of the process,
  // so this comes first.
  try {
    (void)open_model(source, cpu_settings());
    ADD_FAILURE() << "opened without its library";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string(error.what()).find("parity_test::twice"), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("--library"), std::string::npos) << error.what();
  }
  source.libraries = {PARITY_CUSTOM_OPS};
  const auto model = open_model(source, cpu_settings());
  CollectingSink sink;
  model->run(example.inputs, Instrumentation::taps, sink);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"/parity_test.twice", "fc", "<output>"}));
  if (same_torch(*model)) {
    EXPECT_EQ(difference(example.taps.back().second, sink.tensors.at("<output>")), "");
  }
}

TEST(TorchScriptState, AModelThatWritesItsWeightsIsReadAgainAndSaysSo) {
  const PythonCase example = read_python_case("writes_weights");
  const auto model = open_case(example, cpu_settings());
  CollectingSink sink;
  EXPECT_TRUE(model->notes().empty());
  model->run(example.inputs, Instrumentation::taps, sink);
  ASSERT_EQ(model->notes().size(), 1U);
  EXPECT_NE(model->notes().at(0).find("writes into its own weights"), std::string::npos);
}

TEST(SileroVad, IsRecordedPerLayerFromItsShippedFile) {
  const PythonCase example = read_python_case("silero_vad");
  const auto model = open_case(example, cpu_settings());
  CollectingSink first;
  CollectingSink second;
  model->run(example.inputs, Instrumentation::taps, first);
  model->run(example.inputs, Instrumentation::taps, second);
  if (same_torch(*model)) {
    EXPECT_EQ(difference(example.taps.at(0).second, first.tensors.at("<output>")), "");
  }
  EXPECT_EQ(first.names, second.names);
  expect_equal_taps(first, second, "second run");
  for (const char* name :
       {"_model.stft", "_model.stft/aten.conv1d", "_model.encoder.0.reparam_conv", "_model.encoder",
        "_model.decoder.rnn:0", "_model.decoder.decoder.3"}) {
    EXPECT_EQ(first.tensors.count(name), 1U) << name;
  }
  // The tree for 8 kHz did not run.
  EXPECT_TRUE(std::none_of(first.names.begin(), first.names.end(), [](const std::string& name) {
    return name.rfind("_model_8k", 0) == 0;
  }));
}

}  // namespace
}  // namespace parity::model

// How TorchScript files run: state, dtype, switches, tap names and the description of the weights.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/torchscript/script_fixture.h"

namespace parity::model {
namespace {

std::vector<float> floats(const tensor::HostTensor& host) {
  std::vector<float> values(tensor::element_count(host.shape()));
  std::memcpy(values.data(), host.bytes().data(), host.bytes().size());
  return values;
}

CollectingSink run_once(Model& model, const tensor::Value& inputs) {
  CollectingSink sink;
  model.run(inputs, Instrumentation::taps, sink);
  return sink;
}

bool has_note(const Model& model, const std::string& part) {
  const std::vector<std::string> notes = model.notes();
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

/// A way of writing into what runs share: [weight] or the constant `offset` is one more afterwards.
struct Writer {
  const char* name;
  const char* statements;
};

ScriptSpec writer_spec(const Writer& writer) {
  ScriptSpec spec;
  spec.parameters.emplace_back("weight", counting({2}));
  spec.constants.emplace_back("offset", counting({2}));
  spec.source = "def forward(self, x):\n    y = x * self.weight + self.offset\n" +
                std::string(writer.statements) + "    return y\n";
  return spec;
}

class ScriptWriters : public testing::TestWithParam<Writer> {};

TEST_P(ScriptWriters, LeaveNothingForTheNextRunOfEitherKind) {
  const auto model = open_script(save_script(writer_spec(GetParam()), GetParam().name));
  const tensor::Value inputs = arguments(counting({2}));
  const std::vector<float> fresh = {0.5F * 0.5F + 0.5F, 1.0F * 1.0F + 1.0F};
  for (int run = 0; run < 3; ++run) {
    CollectingSink plain;
    model->run(inputs, Instrumentation::outputs_only, plain);
    EXPECT_EQ(floats(plain.tensors.at("<output>")), fresh) << "plain run " << run;
    EXPECT_EQ(floats(run_once(*model, inputs).tensors.at("<output>")), fresh)
        << "tapped run " << run;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, ScriptWriters,
    testing::Values(Writer{"in_place", "    self.weight.add_(1.0)\n"},
                    Writer{"through_data", "    self.weight.data.add_(1.0)\n"},
                    Writer{"through_a_view", "    self.weight[0:1].add_(1.0)\n"},
                    Writer{"constant", "    self.offset.add_(1.0)\n"},
                    Writer{"constant_through_data", "    self.offset.data.add_(1.0)\n"}),
    [](const testing::TestParamInfo<Writer>& test) { return std::string(test.param.name); });

TEST(ScriptState, IsFreshWhenAFailedRunIsRepeatedToFindItsPlace) {
  ScriptSpec spec;
  spec.parameters.emplace_back("weight", counting({2}));
  spec.source =
      "def forward(self, x):\n    if bool((self.weight[0] > 1.0).item()):\n        return x\n"
      "    self.weight.add_(1.0)\n"
      "    return torch.matmul(x, torch.ones([3, 3]))\n";
  const auto model = open_script(save_script(spec, "fails_once"));
  CollectingSink sink;
  try {
    model->run(arguments(counting({2})), Instrumentation::taps, sink);
    FAIL() << "the product has no such shapes";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("aten.matmul"), std::string::npos) << error.what();
  }
}

TEST(ScriptOutput, WhatAModelPrintsGoesToWhoeverOpenedItAndNotToStandardOutput) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    print(\"seen\", 7)\n    return x + 1\n";
  Source source;
  source.model = save_script(spec, "prints");
  static std::string printed;
  source.printed = [](const std::string& text) { printed += text; };
  const auto model = open_model(source, cpu_settings());
  testing::internal::CaptureStdout();
  (void)run_once(*model, arguments(counting({2})));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(printed, "seen 7\n");
}

TEST(ScriptState, StartsFreshInEveryRun) {
  ScriptSpec spec;
  spec.buffers.emplace_back("total", counting({2}));
  spec.source = "def forward(self, x):\n    self.total.add_(x)\n    return self.total\n";
  const auto model = open_script(save_script(spec, "state"));
  const tensor::Value inputs = arguments(counting({2}));
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(floats(run_once(*model, inputs).tensors.at("<output>")),
              (std::vector<float>{1.0F, 2.0F}))
        << run;
  }
  EXPECT_TRUE(model->notes().empty());
}

TEST(ScriptState, InputsAreNeverWrittenTo) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    x.add_(1.0)\n    return x\n";
  const auto model = open_script(save_script(spec, "inplace_input"));
  const tensor::HostTensor x = counting({2});
  (void)run_once(*model, arguments(x));
  EXPECT_EQ(floats(x), (std::vector<float>{0.5F, 1.0F}));
  EXPECT_EQ(floats(run_once(*model, arguments(x)).tensors.at("<output>")),
            (std::vector<float>{1.5F, 2.0F}));
}

TEST(ScriptState, TapsHoldTheValueOfTheirTime) {
  ScriptSpec spec;
  spec.children.emplace_back("fc", linear_spec(2));
  spec.source =
      "def forward(self, x):\n    y = self.fc.forward(x)\n    y.add_(100.0)\n    return y\n";
  const auto model = open_script(save_script(spec, "inplace_tap"));
  const CollectingSink sink = run_once(*model, arguments(counting({1, 2})));
  EXPECT_EQ(floats(sink.tensors.at("fc")), (std::vector<float>{1.0F, -0.5F}));
  EXPECT_EQ(floats(sink.tensors.at("<output>")), (std::vector<float>{101.0F, 99.5F}));
}

TEST(ScriptState, RandomOpsRepeatWithTheSeedAndChangeWithIt) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return x + torch.rand_like(x)\n";
  const std::filesystem::path file = save_script(spec, "random");
  const tensor::Value inputs = arguments(counting({4}));
  run::Settings settings = cpu_settings();
  const auto model = open_script(file, settings);
  const std::vector<float> first = floats(run_once(*model, inputs).tensors.at("<output>"));
  EXPECT_EQ(floats(run_once(*model, inputs).tensors.at("<output>")), first);
  settings.seed = 1;
  EXPECT_NE(floats(run_once(*open_script(file, settings), inputs).tensors.at("<output>")), first);
}

TEST(ScriptPaths, OneInstanceUnderTwoNamesGoesByItsFirst) {
  ScriptSpec spec;
  spec.children.emplace_back("first", linear_spec(2));
  spec.second_names.emplace_back("second", "first");
  spec.source = "def forward(self, x):\n    return self.first.forward(self.second.forward(x))\n";
  const auto model = open_script(save_script(spec, "second_name"));
  EXPECT_EQ(run_once(*model, arguments(counting({1, 2}))).names,
            (std::vector<std::string>{"first", "first#1", "<output>"}));
}

TEST(ScriptMode, TrainingIsLeftAndSaidSo) {
  ScriptSpec spec;
  spec.mode = SavedMode::training;
  spec.source = "def forward(self, x):\n    return torch.dropout(x, 0.5, self.training)\n";
  const auto model = open_script(save_script(spec, "training"));
  EXPECT_TRUE(has_note(*model, "training mode"));
  EXPECT_EQ(floats(run_once(*model, arguments(counting({2}))).tensors.at("<output>")),
            (std::vector<float>{0.5F, 1.0F}));
}

TEST(ScriptDtype, CastsFloatingWeightsAndInputsAlone) {
  ScriptSpec spec = linear_spec(2);
  spec.buffers.emplace_back("offset", integers({2}, {3, 4}));
  spec.source =
      "def forward(self, x, i):\n    return torch.matmul(x, self.weight), i + self.offset\n";
  const std::filesystem::path file = save_script(spec, "dtype");
  const tensor::Value inputs = arguments(counting({1, 2}), integers({2}, {1, 2}));
  run::Settings settings = cpu_settings();
  settings.dtype = tensor::DType::bfloat16;
  const auto model = open_script(file, settings);
  const CollectingSink sink = run_once(*model, inputs);
  EXPECT_EQ(sink.tensors.at("<output>:0").dtype(), tensor::DType::bfloat16);
  EXPECT_EQ(sink.tensors.at("<output>:1").dtype(), tensor::DType::int64);
  // Digests are of the file's weights, whatever they are cast to.
  const auto kept = open_script(file);
  EXPECT_EQ(model->description().all_weights, kept->description().all_weights);
  EXPECT_EQ(model->description().weights.at(1).dtype, tensor::DType::float32);
}

TEST(ScriptDtype, RoundsWeightsAndInputsBeforeItWidensThem) {
  ScriptSpec spec;
  const float third = 1.0F / 3;
  std::vector<std::byte> bytes(sizeof third);
  std::memcpy(bytes.data(), &third, sizeof third);
  const tensor::HostTensor value(tensor::DType::float32, {1}, bytes);
  spec.parameters.emplace_back("weight", value);
  spec.source = "def forward(self, x):\n    return x, self.weight\n";
  const std::filesystem::path file = save_script(spec, "rounded");
  run::Settings settings = cpu_settings();
  settings.rounded_to = tensor::DType::bfloat16;
  settings.dtype = tensor::DType::float32;
  const auto model = open_script(file, settings);
  const CollectingSink sink = run_once(*model, arguments(value));
  const std::vector<float> third_of_bfloat16 = {0.333984375F};
  EXPECT_EQ(floats(sink.tensors.at("<output>:0")), third_of_bfloat16);
  EXPECT_EQ(floats(sink.tensors.at("<output>:1")), third_of_bfloat16);
}

TEST(ScriptDescription, DigestsParametersAndBuffersByName) {
  ScriptSpec spec = linear_spec(2);
  spec.buffers.emplace_back("offset", integers({2}, {3, 4}));
  const auto model = open_script(save_script(spec, "description"));
  const run::ModelDescription& description = model->description();
  EXPECT_EQ(description.file_name, "parity_description.pt");
  EXPECT_EQ(description.kind, "torchscript");
  EXPECT_EQ(description.parameter_count, 4U);
  ASSERT_EQ(description.weights.size(), 2U);
  EXPECT_EQ(description.weights.at(0).name, "offset");
  EXPECT_EQ(description.weights.at(0).digest, tensor::digest_of(integers({2}, {3, 4}).bytes()));
  EXPECT_EQ(description.weights.at(1).name, "weight");
  EXPECT_EQ(description.all_weights, run::digest_of_weights(description.weights));
}

TEST(ScriptInputs, TakeKeywordsDefaultsAndNestedValues) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x, parts: List[Tensor], pair: Tuple[float, int], table: Dict[str, "
      "Tensor], "
      "scale: float = 2.0, more: Optional[Tensor] = None):\n"
      "    y = (x + parts[0]) * scale + pair[0] + pair[1] + table['a']\n"
      "    return y if more is None else y + more\n";
  const auto model = open_script(save_script(spec, "keywords"));
  const tensor::Value x{counting({1})};
  const tensor::Value list{tensor::ValueList{{x}}};
  const tensor::Value pair{tensor::ValueList{{{std::int64_t{1}}, {integers({}, {2})}}}};
  const tensor::Value table{tensor::ValueDict{{{"a", x}}}};
  const tensor::Value keywords{tensor::ValueDict{
      {{"table", table}, {"x", x}, {"pair", pair}, {"parts", list}, {"more", x}}}};
  EXPECT_EQ(floats(run_once(*model, keywords).tensors.at("<output>")), (std::vector<float>{6.0F}));
  const tensor::Value positional{tensor::ValueTuple{{x, list, pair, table, {std::int64_t{4}}}}};
  EXPECT_EQ(floats(run_once(*model, positional).tensors.at("<output>")),
            (std::vector<float>{7.5F}));
}

TEST(ScriptInputs, DoNotCareWhatTheModuleIsCalled) {
  ScriptSpec spec;
  spec.source = "def forward(me, x):\n    return x + 1.0\n";
  const auto model = open_script(save_script(spec, "me"));
  EXPECT_EQ(run_once(*model, arguments(counting({1}))).names,
            (std::vector<std::string>{"<output>"}));
}

TEST(ScriptInputs, AListMayBeTheOnlyArgument) {
  ScriptSpec spec;
  spec.source = "def forward(self, parts: List[Tensor]):\n    return torch.cat(parts)\n";
  const auto model = open_script(save_script(spec, "list_argument"));
  const tensor::Value list{tensor::ValueList{{{counting({1})}, {counting({1})}}}};
  EXPECT_EQ(run_once(*model, list).tensors.at("<output>").shape(), (tensor::Shape{2}));
}

TEST(ScriptDevices, FixedInTheCodeAreReplacedByTheRunsDevice) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return x + torch.ones([2], device='cuda:0')\n";
  const auto model = open_script(save_script(spec, "fixed_device"));
  EXPECT_EQ(floats(run_once(*model, arguments(counting({2}))).tensors.at("<output>")),
            (std::vector<float>{1.5F, 2.0F}));
  EXPECT_TRUE(has_note(*model, "replaced by cpu"));
}

TEST(ScriptWarnings, BecomeNotesAndStayOffStderr) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    torch.warn('scale is deprecated')\n    return x\n";
  const auto model = open_script(save_script(spec, "warnings"));
  testing::internal::CaptureStderr();
  (void)run_once(*model, arguments(counting({2})));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(has_note(*model, "scale is deprecated"));
}

TEST(ScriptOutputs, NameWhatCannotBeCompared) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x):\n"
      "    return x, 'text', 1.5, [1, 2], x.to_sparse(), None\n";
  const auto model = open_script(save_script(spec, "skipped"));
  const CollectingSink sink = run_once(*model, arguments(counting({2})));
  std::vector<std::string> skipped;
  for (const auto& [name, reason] : sink.skipped) skipped.push_back(name);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"<output>:0"}));
  EXPECT_EQ(skipped,
            (std::vector<std::string>{"<output>:1", "<output>:2", "<output>:3", "<output>:4"}));
}

TEST(ScriptOutputs, KeepOddShapesAndTypes) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x):\n"
      "    return x[0, 0], x[:, :0], x.t(), x > 1.0, torch.complex(x, x), x.double()\n";
  const auto model = open_script(save_script(spec, "odd_outputs"));
  const CollectingSink sink = run_once(*model, arguments(counting({2, 3})));
  EXPECT_EQ(sink.tensors.at("<output>:0").shape(), tensor::Shape{});
  EXPECT_EQ(sink.tensors.at("<output>:1").shape(), (tensor::Shape{2, 0}));
  EXPECT_EQ(floats(sink.tensors.at("<output>:2")),
            (std::vector<float>{0.5F, 2.0F, 1.0F, 2.5F, 1.5F, 3.0F}));
  EXPECT_EQ(sink.tensors.at("<output>:3").dtype(), tensor::DType::boolean);
  EXPECT_EQ(sink.tensors.at("<output>:4").dtype(), tensor::DType::complex64);
  EXPECT_EQ(sink.tensors.at("<output>:5").dtype(), tensor::DType::float64);
}

TEST(ScriptLogits, AreToldByNameOrByShape) {
  const auto model = open_script(save_script(linear_spec(2), "logits"));
  const tensor::Value ids = arguments(integers({1, 3}, {5, 9, 2}));
  const tensor::Value mask_too =
      arguments(integers({1, 3}, {5, 9, 2}), integers({1, 3}, {1, 1, 0}));
  const run::TapId output{run::TapKind::output, std::string(run::kOutputPath), "", 0, ""};
  run::TapId named = output;
  named.port = "extra.logits";
  run::TapId inner = output;
  inner.kind = run::TapKind::module;
  EXPECT_TRUE(model->is_logits(output, {1, 3, 10}, ids));
  EXPECT_TRUE(model->is_logits(output, {1, 3, 10}, mask_too));
  EXPECT_FALSE(model->is_logits(output, {1, 3, 9}, mask_too)) << "id 9 is beyond a vocabulary of 9";
  EXPECT_FALSE(model->is_logits(output, {1, 10}, ids));
  EXPECT_FALSE(model->is_logits(output, {1, 3, 10}, arguments(counting({1, 3}))));
  EXPECT_FALSE(model->is_logits(inner, {1, 3, 10}, ids));
  EXPECT_TRUE(model->is_logits(named, {7, 4}, arguments(counting({1, 3}))));
}

TEST(ScriptProvenance, RecordsDeviceLibrariesAndSwitches) {
  run::Settings settings = cpu_settings();
  settings.deterministic = run::Determinism::on;
  settings.fp32_precision = run::Fp32Precision::tf32;
  const auto model = open_script(save_script(linear_spec(2), "provenance"), settings);
  const run::Provenance facts = model->provenance();
  EXPECT_EQ(facts.get("device.type"), "cpu");
  EXPECT_EQ(facts.get("switch.deterministic"), "on");
  EXPECT_EQ(facts.get("switch.fp32_precision"), "tf32");
  EXPECT_EQ(facts.get("switch.threads"), "1");
  EXPECT_EQ(facts.get("switch.sdpa"), "default");
  EXPECT_NE(facts.get("switch.executor"), "");
  for (const char* key : {"device.vendor", "device.name", "device.arch", "library.torch"}) {
    EXPECT_NE(facts.get(key), "") << key;
  }
  // Another model of the same process has its own switches in force when it runs.
  const auto plain = open_script(save_script(linear_spec(2), "provenance_plain"));
  CollectingSink sink;
  plain->run(arguments(counting({1, 2})), Instrumentation::taps, sink);
  EXPECT_EQ(plain->provenance().get("switch.deterministic"), "off");
  EXPECT_EQ(plain->provenance().get("switch.fp32_matmul"), "ieee");
}

}  // namespace
}  // namespace parity::model

// What goes wrong with TorchScript files and inputs, and the one sentence that says so.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/torchscript/script_fixture.h"

namespace parity::model {
namespace {

/// Runs `body`, which must throw a parity::Error, and returns it.
template <class Body>
Error thrown_by(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorKind::store, ""};
}

#define EXPECT_SAYS(error, expected_kind, ...)                                              \
  do {                                                                                      \
    EXPECT_EQ((error).kind(), expected_kind) << (error).what();                             \
    for (const char* part : {__VA_ARGS__}) {                                                \
      EXPECT_NE(std::string((error).what()).find(part), std::string::npos)                  \
          << "'" << part << "' is missing in: " << (error).what();                          \
    }                                                                                       \
    EXPECT_EQ(std::string((error).what()).find('\n'), std::string::npos) << "one sentence"; \
  } while (false)

Error run_error(Model& model, const tensor::Value& inputs) {
  CollectingSink sink;
  return thrown_by([&] { model.run(inputs, Instrumentation::taps, sink); });
}

ScriptSpec nested_linear() {
  ScriptSpec inner;
  inner.children.emplace_back("fc", linear_spec(3));
  inner.source = "def forward(self, x):\n    return self.fc.forward(x) + 1.0\n";
  ScriptSpec outer;
  outer.children.emplace_back("encoder", inner);
  outer.source = "def forward(self, x):\n    return self.encoder.forward(x)\n";
  return outer;
}

TEST(FailingForward, NamesOpAndLayer) {
  const auto model = open_script(save_script(nested_linear(), "failing_forward"));
  const Error error = run_error(*model, arguments(counting({2, 5})));
  EXPECT_SAYS(error, ErrorKind::model, "aten.matmul", "encoder.fc", "shapes cannot be multiplied");
  EXPECT_FALSE(error.detail().empty());
}

TEST(FailingForward, NamesOpAndLayerWithoutTapsAsWell) {
  const auto model = open_script(save_script(nested_linear(), "failing_plain"));
  CollectingSink sink;
  const Error error = thrown_by([&] {
    model->run(arguments(counting({2, 5})), Instrumentation::outputs_only, sink);
  });
  EXPECT_SAYS(error, ErrorKind::model, "aten.matmul", "encoder.fc");
}

TEST(FailingForward, NamesADtypeThatTheOpDoesNotTake) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return torch.linalg_cholesky(x)\n";
  run::Settings settings = cpu_settings();
  settings.dtype = tensor::DType::float16;
  const auto model = open_script(save_script(spec, "failing_half"), settings);
  EXPECT_SAYS(run_error(*model, arguments(counting({2, 2}))), ErrorKind::model,
              "aten.linalg_cholesky", "Half");
}

TEST(FailingForward, SaysWhereTheCodeFixesADtype) {
  ScriptSpec inner;
  inner.children.emplace_back("fc", linear_spec(3));
  inner.source =
      "def forward(self, x):\n    y = torch.zeros_like(x, dtype=None)\n"
      "    return self.fc.forward(x.to(6) + y) + torch.ones([3], dtype=7)\n";
  ScriptSpec outer;
  outer.children.emplace_back("encoder", inner);
  outer.source = "def forward(self, x):\n    return self.encoder.forward(x)\n";
  run::Settings settings = cpu_settings();
  settings.dtype = tensor::DType::bfloat16;
  const auto model = open_script(save_script(outer, "fixed_dtype"), settings);
  EXPECT_SAYS(run_error(*model, arguments(counting({2, 3}))), ErrorKind::model, "aten.matmul",
              "encoder.fc", "same dtype",
              "a dtype is fixed in op aten.to of layer encoder (float32), "
              "op aten.ones of layer encoder (float64)",
              "torch.jit.trace", "--dtype keep");
}

TEST(FailingForward, SaysWhereTheCodeFixesADevice) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return x.cuda() + 1.0\n";
  const auto model = open_script(save_script(spec, "fixed_device"));
  EXPECT_SAYS(run_error(*model, arguments(counting({2, 2}))), ErrorKind::model, "op aten.cuda",
              "a device is fixed in op aten.cuda of the model", "x.device", "torch.jit.script");
}

TEST(FailingForward, RunsADeviceThatATraceFixedOnTheRunsOwn) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x):\n    return x + torch.zeros([2], device=torch.device('cuda:0'))\n";
  const auto model = open_script(save_script(spec, "fixed_constant"));
  CollectingSink sink;
  model->run(arguments(counting({2, 2})), Instrumentation::taps, sink);
  ASSERT_FALSE(model->notes().empty());
  EXPECT_NE(model->notes().front().find("replaced by cpu"), std::string::npos);
}

TEST(FailingForward, TellsHowMuchHostMemoryWasWanted) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return torch.zeros([17592186044416]) + x\n";
  const auto model = open_script(save_script(spec, "host_memory"));
  EXPECT_SAYS(run_error(*model, arguments(counting({1}))), ErrorKind::resource,
              "out of host memory: 64.0 TiB wanted", "at torch.zeros", "--store rows:N");
}

TEST(FailingForward, SaysWhatToDoWithAnIndexThatIsTooLarge) {
  ScriptSpec spec;
  spec.source = "def forward(self, x):\n    return torch.embedding(torch.zeros([4, 2]), x)\n";
  const auto model = open_script(save_script(spec, "bad_index"));
  EXPECT_SAYS(run_error(*model, arguments(integers({2}, {1, 9}))), ErrorKind::model,
              "aten.embedding", "index out of range", "--inputs");
}

TEST(FailingForward, SaysWhatTheModelRaised) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x):\n    assert x.size(0) == 4, 'need four rows'\n    return x\n";
  const auto model = open_script(save_script(spec, "raising"));
  const Error error = run_error(*model, arguments(counting({2, 5})));
  EXPECT_SAYS(error, ErrorKind::model, "need four rows");
  EXPECT_EQ(std::string(error.what()).find("aten."), std::string::npos)
      << "an op is blamed: " << error.what();
}

TEST(FailingForward, LeavesTheModelUsable) {
  const auto model = open_script(save_script(nested_linear(), "failing_then_fine"));
  (void)run_error(*model, arguments(counting({2, 5})));
  CollectingSink sink;
  model->run(arguments(counting({2, 3})), Instrumentation::taps, sink);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"encoder.fc", "encoder", "<output>"}));
}

class ThrowingSink final : public run::TapSink {
 public:
  void on_tap(const run::TapId&, const run::DeviceTensor&) override {
    throw Error(ErrorKind::resource, "no space left");
  }
  void on_skipped(const run::TapId&, const std::string&) override {}
};

TEST(FailingSink, KeepsItsOwnErrorThroughTheInterpreter) {
  const auto model = open_script(save_script(nested_linear(), "failing_sink"));
  ThrowingSink sink;
  const Error error = thrown_by([&] {
    model->run(arguments(counting({2, 3})), Instrumentation::taps, sink);
  });
  EXPECT_EQ(error.kind(), ErrorKind::resource);
  EXPECT_STREQ(error.what(), "no space left");
}

TEST(WrongInputs, AreRefusedWithTheExpectedSignature) {
  ScriptSpec spec;
  spec.source =
      "def forward(self, x, scale: float = 2.0, names: Optional[List[str]] = None):\n    return x "
      "* scale\n";
  const auto model = open_script(save_script(spec, "signature"));
  const tensor::Value text{std::string("many")};
  struct Row {
    tensor::Value inputs;
    const char* problem;
  };
  const std::vector<Row> rows = {
      {arguments(), "argument 'x' is missing"},
      {arguments(1.5), "argument 'x' does not take a float"},
      {arguments(counting({2}), std::string("two")), "argument 'scale' does not take a str"},
      {arguments(counting({2}), counting({2})),
       "argument 'scale' does not take a float32 tensor 2"},
      {arguments(counting({2}), 1.0, text.data, text.data), "4 values were given for 3 arguments"},
      {{tensor::ValueDict{{{"y", {counting({2})}}}}}, "there is no argument 'y'"},
  };
  for (const Row& row : rows) {
    EXPECT_SAYS(run_error(*model, row.inputs), ErrorKind::usage, row.problem,
                "forward(Tensor x, float scale=2., Optional[List[str]] names=None)");
  }
}

TEST(NothingToCompare, IsRefusedWhenNoTensorComesOut) {
  ScriptSpec spec;
  spec.source = "def forward(self, x: float, y: float) -> float:\n    return x * y\n";
  const auto model = open_script(save_script(spec, "no_tensor"));
  EXPECT_SAYS(run_error(*model, arguments(1.0, 2.0)), ErrorKind::model, "yields no tensor",
              "float");
}

TEST(OpeningTorchScript, RefusesFlagsForBareWeights) {
  const std::filesystem::path file = save_script(linear_spec(2), "flags");
  Source source;
  source.model = file;
  source.config = "config.json";
  EXPECT_SAYS(thrown_by([&] { (void)open_model(source, cpu_settings()); }), ErrorKind::usage,
              "--config");
  source.config.clear();
  source.state_key = "model";
  EXPECT_SAYS(thrown_by([&] { (void)open_model(source, cpu_settings()); }), ErrorKind::usage,
              "--state-key");
  source.state_key.clear();
  source.libraries = {"/nowhere/libops.so"};
  EXPECT_SAYS(thrown_by([&] { (void)open_model(source, cpu_settings()); }), ErrorKind::usage,
              "/nowhere/libops.so");
}

TEST(OpeningTorchScript, NamesTheMethodsThereAre) {
  ScriptSpec spec;
  spec.source =
      "def encode(self, x):\n    return x + 1.0\ndef decode(self, x):\n    return x - 1.0\ndef "
      "__len__(self):\n    "
      "return 3\n";
  const std::filesystem::path file = save_script(spec, "two_methods");
  EXPECT_SAYS(thrown_by([&] { (void)open_script(file); }), ErrorKind::usage, "forward",
              "--method (encode, decode)");
  EXPECT_SAYS(thrown_by([&] { (void)open_script(file, cpu_settings(), "run"); }), ErrorKind::usage,
              "'run'", "(encode, decode)");
  CollectingSink sink;
  open_script(file, cpu_settings(), "decode")
      ->run(arguments(counting({2})), Instrumentation::taps, sink);
  EXPECT_EQ(sink.names, (std::vector<std::string>{"<output>"}));
}

TEST(OpeningTorchScript, RefusesATruncatedFileInOneSentence) {
  const std::filesystem::path file = save_script(linear_spec(64), "truncated");
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_SAYS(thrown_by([&] { (void)open_script(file); }), ErrorKind::model, "parity_truncated.pt");
}

TEST(Devices, AreRefusedWithWhatThereIs) {
  const std::filesystem::path file = save_script(linear_spec(2), "devices");
  for (const char* name : {"cuda:x", "cuda:", "cuda:-1", "gpu", "", "cuda:999"}) {
    run::Settings settings = cpu_settings();
    settings.device = name;
    EXPECT_SAYS(thrown_by([&] { (void)open_script(file, settings); }), ErrorKind::usage,
                "unknown device");
  }
  run::Settings settings = cpu_settings();
  settings.device = "cuda:97";
  EXPECT_SAYS(thrown_by([&] { (void)open_script(file, settings); }), ErrorKind::device,
              "cuda:97 is not there", "Available: cpu");
}

TEST(Switches, RefuseAnAttentionKernelThatTheCpuHasNot) {
  run::Settings settings = cpu_settings();
  settings.sdpa = run::Sdpa::efficient;
  EXPECT_SAYS(thrown_by([&] { (void)open_script(save_script(linear_spec(2), "sdpa"), settings); }),
              ErrorKind::usage, "--sdpa efficient", "CPU");
}

}  // namespace
}  // namespace parity::model

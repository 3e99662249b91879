// Which operators ran between two taps, and whether they alone give the tap's bits again.
#include "model/operator_trace.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "error/error.h"
#include "model/collecting_sink.h"
#include "model/torchscript/script_fixture.h"

namespace parity::model {
namespace {

run::TapId module_tap(const std::string& path) { return {run::TapKind::module, path, "", 0, ""}; }
run::TapId output_tap() { return {run::TapKind::output, std::string(run::kOutputPath), "", 0, ""}; }

/// `first` and `second` are products with a weight each; `middle` is what runs between them.
ScriptSpec chain_spec(const std::string& middle) {
  ScriptSpec spec;
  spec.children.emplace_back("first", linear_spec(4));
  spec.children.emplace_back("second", linear_spec(4));
  spec.source = "def forward(self, x):\n    a = self.first.forward(x)\n" + middle +
                "    return self.second.forward(b)\n";
  return spec;
}

std::vector<std::string> names(const OperatorTrace& trace) {
  std::vector<std::string> result;
  for (const OperatorCall& call : trace.operators()) result.push_back(call.name);
  return result;
}

struct Traced {
  std::unique_ptr<OperatorTrace> trace;
  CollectingSink sink;
};

Traced trace_second(const std::string& name, const std::string& middle) {
  const auto model = open_script(save_script(chain_spec(middle), name));
  Traced traced;
  traced.trace = trace_operators(*model, arguments(counting({2, 4})),
                                 {module_tap("first"), module_tap("second")}, traced.sink);
  return traced;
}

class Reproducer : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "parity_reproducer";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

struct Row {
  const char* name;
  const char* middle;
  std::vector<std::string> operators;
};

TEST_F(Reproducer, RunsTheOperatorsOfTheSegmentAloneToTheSameBits) {
  const std::vector<Row> rows = {
      {"plain", "    b = torch.relu(a * 2.0)\n", {"aten.mul", "aten.relu", "aten.matmul"}},
      {"unused", "    c = torch.exp(a)\n    b = a + 1.0\n", {"aten.add", "aten.matmul"}},
      {"in_place", "    b = a * 2.0\n    b.add_(1.0)\n", {"aten.mul", "aten.add_", "aten.matmul"}},
      {"list", "    b = torch.cat([a, a * 3.0], 0)\n", {"aten.mul", "aten.cat", "aten.matmul"}},
      {"parts",
       "    p, q = torch.split(a, 1, 0)\n    b = p - q\n",
       {"aten.split", "aten.sub", "aten.matmul"}},
      {"several", "    b, i = torch.topk(a, 4, 1)\n", {"aten.topk", "aten.matmul"}},
      {"earlier",
       "    b = a + torch.matmul(x, x.t())[0, 0]\n",
       {"aten.t", "aten.matmul", "aten.select", "aten.select", "aten.add", "aten.matmul"}},
  };
  for (const Row& row : rows) {
    const Traced traced = trace_second(row.name, row.middle);
    EXPECT_EQ(names(*traced.trace), row.operators) << row.name;
    const tensor::HostTensor expected = traced.sink.tensors.at("second");
    traced.trace->save(folder_, expected, "second of a test", cpu_settings());
    const auto alone = open_script(folder_ / ReproducerFiles::kModel);
    CollectingSink sink;
    alone->run(traced.trace->inputs(), Instrumentation::outputs_only, sink);
    const tensor::HostTensor& actual = sink.tensors.at("<output>");
    EXPECT_EQ(actual.shape(), expected.shape()) << row.name;
    EXPECT_TRUE(std::equal(actual.bytes().begin(), actual.bytes().end(), expected.bytes().begin(),
                           expected.bytes().end()))
        << row.name;
  }
}

TEST_F(Reproducer, HasAScriptThatNamesEveryOperatorAndTheFilesBesideIt) {
  const Traced traced = trace_second("script", "    b = torch.relu(a * 2.0)\n");
  traced.trace->save(folder_, traced.sink.tensors.at("second"), "second of a test", cpu_settings());
  std::ifstream file(folder_ / ReproducerFiles::kScript);
  std::stringstream text;
  text << file.rdbuf();
  for (const char* part :
       {"# second of a test\n", "import torch\n", "torch.load('inputs.pt')",
        "torch.load('expected.pt')", "value0 = torch.ops.aten.mul.Scalar(inputs[0], 2.0)",
        "value1 = torch.ops.aten.relu.default(value0)",
        "value2 = torch.ops.aten.matmul.default(value1, inputs[1])", "actual = value2.cpu()"}) {
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " in\n" << text.str();
  }
}

TEST_F(Reproducer, NamesThePartsOfAListInItsScript) {
  const Traced traced =
      trace_second("list_script", "    p, q = torch.split(a, 1, 0)\n    b = p - q\n");
  traced.trace->save(folder_, traced.sink.tensors.at("second"), "second of a test", cpu_settings());
  std::ifstream file(folder_ / ReproducerFiles::kScript);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("torch.ops.aten.sub.Tensor(value0[0], value0[1], "), std::string::npos)
      << text.str();
}

TEST_F(Reproducer, SetsTheSwitchesOfTheRunInItsScript) {
  run::Settings settings = cpu_settings();
  settings.fp32_precision = run::Fp32Precision::tf32;
  settings.sdpa = run::Sdpa::math;
  settings.deterministic = run::Determinism::on;
  const Traced traced = trace_second("switches", "    b = a + 1.0\n");
  traced.trace->save(folder_, traced.sink.tensors.at("second"), "second of a test", settings);
  std::ifstream file(folder_ / ReproducerFiles::kScript);
  std::stringstream text;
  text << file.rdbuf();
  for (const char* part :
       {"matmul.allow_tf32 = True", "set_num_threads(1)", "enable_cudnn_sdp(False)",
        "enable_math_sdp(True)", "enable_flash_sdp(False)", "enable_mem_efficient_sdp(False)",
        "use_deterministic_algorithms(True)"}) {
    EXPECT_NE(text.str().find(part), std::string::npos) << part << " in\n" << text.str();
  }
}

TEST_F(Reproducer, IsRefusedWhereNothingWasComputed) {
  ScriptSpec spec;
  spec.children.emplace_back("first", linear_spec(4));
  spec.source = "def forward(self, x):\n    return self.first.forward(x)\n";
  const auto model = open_script(save_script(spec, "nothing"));
  CollectingSink sink;
  const auto trace = trace_operators(*model, arguments(counting({2, 4})),
                                     {module_tap("first"), output_tap()}, sink);
  EXPECT_TRUE(trace->operators().empty());
  EXPECT_THROW(trace->save(folder_, sink.tensors.at("<output>"), "nothing", cpu_settings()), Error);
}

TEST(OperatorTrace, StartsWithTheRunWhenThereIsNoTapBefore) {
  const auto model = open_script(save_script(chain_spec("    b = a\n"), "start"));
  CollectingSink sink;
  const auto trace = trace_operators(*model, arguments(counting({2, 4})),
                                     {std::nullopt, module_tap("first")}, sink);
  EXPECT_EQ(names(*trace), std::vector<std::string>{"aten.matmul"});
}

TEST(OperatorTrace, IsEmptyForATapThatNeverComes) {
  const auto model = open_script(save_script(chain_spec("    b = a\n"), "never"));
  CollectingSink sink;
  const auto trace = trace_operators(*model, arguments(counting({2, 4})),
                                     {module_tap("first"), module_tap("third")}, sink);
  EXPECT_TRUE(trace->operators().empty());
}

}  // namespace
}  // namespace parity::model

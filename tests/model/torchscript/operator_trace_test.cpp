// Which operators ran between two taps, and whether they alone give the tap's bits again.
#include "model/operator_trace.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
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

Reproducer reproducer(const Traced& traced) {
  return {traced.sink.tensors.at("second"),
          "second of a test",
          "parity compare golden.h5",
          0.5,
          2,
          cpu_settings(),
          {}};
}

class ReproducerFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "parity_reproducer";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string script_text() const {
    std::ifstream file(folder_ / ReproducerFiles::kScript);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

struct Row {
  const char* name;
  const char* middle;
  std::vector<std::string> operators;
};

const std::vector<Row>& segments() {
  static const std::vector<Row> kRows = {
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
      // What is written to through a view, whoever made the view and whichever handle is read.
      {"column",
       "    a.select(1, 0).copy_(a.select(1, 1) * 3.0)\n    b = a\n",
       {"aten.select", "aten.select", "aten.mul", "aten.copy_", "aten.matmul"}},
      {"filled_row",
       "    b = a * 1.0\n    b[1].fill_(7.0)\n",
       {"aten.mul", "aten.select", "aten.fill_", "aten.matmul"}},
      {"through_the_view",
       "    b = a.view(-1)\n    a.mul_(3.0)\n    b = b.view(2, 4)\n",
       {"aten.view", "aten.mul_", "aten.view", "aten.matmul"}},
      {"half_of_a_split",
       "    p, q = torch.split(a, 1, 0)\n    p.mul_(3.0)\n    b = a + q\n",
       {"aten.split", "aten.mul_", "aten.add", "aten.matmul"}},
      {"elsewhere",
       "    a.select(0, 0).mul_(3.0)\n    b = a[1] + torch.ones(2, 4)\n",
       {"aten.select", "aten.ones", "aten.add", "aten.matmul"}},
      // Made from numbers, which no operator writes.
      {"numbers",
       "    b = a[:, torch.tensor([1, 0, 3, 2])] * torch.tensor([0.5, 2.0, 3.0, -1.0])\n",
       {"aten.slice", "aten.index", "aten.mul", "aten.matmul"}},
      {"empty",
       "    b = torch.empty(2, 4)\n    b.copy_(a)\n    b[0].mul_(2.0)\n",
       {"aten.copy_", "aten.select", "aten.mul_", "aten.matmul"}},
  };
  return kRows;
}

TEST_F(ReproducerFolder, RunsTheOperatorsOfTheSegmentAloneToTheSameBits) {
  for (const Row& row : segments()) {
    const Traced traced = trace_second(row.name, row.middle);
    EXPECT_EQ(names(*traced.trace), row.operators) << row.name;
    const tensor::HostTensor& in_the_model = traced.sink.tensors.at("second");
    traced.trace->save(folder_, reproducer(traced));
    EXPECT_EQ(traced.trace->difference_when_run(folder_, 0), "") << row.name;
    const auto alone = open_script(folder_ / ReproducerFiles::kModel);
    CollectingSink sink;
    alone->run(traced.trace->inputs(), Instrumentation::outputs_only, sink);
    const tensor::HostTensor& by_itself = sink.tensors.at("<output>");
    EXPECT_EQ(by_itself.shape(), in_the_model.shape()) << row.name;
    EXPECT_TRUE(std::equal(by_itself.bytes().begin(), by_itself.bytes().end(),
                           in_the_model.bytes().begin(), in_the_model.bytes().end()))
        << row.name;
  }
}

/// `first` makes what both views show, before the segment.
TEST_F(ReproducerFolder, SeesAWriteThroughOneOfTwoViewsFromBeforeTheSegment) {
  ScriptSpec spec;
  spec.children.emplace_back("before", linear_spec(4));
  spec.children.emplace_back("first", linear_spec(4));
  spec.children.emplace_back("second", linear_spec(4));
  spec.source =
      "def forward(self, x):\n    a = self.before.forward(x)\n    v = a.narrow(1, 1, 2)\n"
      "    c = self.first.forward(x)\n    v.mul_(3.0)\n    return self.second.forward(a + c)\n";
  const auto model = open_script(save_script(spec, "two_views"));
  Traced traced;
  traced.trace = trace_operators(*model, arguments(counting({2, 4})),
                                 {module_tap("first"), module_tap("second")}, traced.sink);
  EXPECT_EQ(names(*traced.trace),
            (std::vector<std::string>{"aten.mul_", "aten.add", "aten.matmul"}));
  traced.trace->save(folder_, reproducer(traced));
  EXPECT_EQ(traced.trace->difference_when_run(folder_, 0), "");
  EXPECT_NE(script_text().find("torch.ops.aten.as_strided.default(inputs[0], [2, 2], [4, 1], 1)"),
            std::string::npos)
      << script_text();
}

TEST_F(ReproducerFolder, SaysWhenItsFilesDoNotGiveWhatTheRunGave) {
  const Traced traced = trace_second("random", "    b = torch.bernoulli(a.sigmoid())\n");
  traced.trace->save(folder_, reproducer(traced));
  std::set<std::string> found;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5})
    found.insert(traced.trace->difference_when_run(folder_, seed));
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const std::string& text) { return text.rfind("nrmse ", 0) == 0; }));
}

TEST_F(ReproducerFolder, HasAScriptThatNamesEveryOperatorAndTheFilesBesideIt) {
  const Traced traced = trace_second("script", "    b = torch.relu(a * 2.0)\n");
  Reproducer what = reproducer(traced);
  what.settings.seed = 7;
  traced.trace->save(folder_, what);
  const std::string text = script_text();
  for (const char* part :
       {"# second of a test\n", "# In this folder: parity compare golden.h5\n", "import torch\n",
        "torch.manual_seed(7)\n", "here = pathlib.Path(__file__).resolve().parent\n",
        "torch.load(here / 'inputs.pt')", "torch.load(here / 'reference.pt')",
        "value0 = torch.ops.aten.mul.Scalar(inputs[0], 2.0)",
        "value1 = torch.ops.aten.relu.default(value0)",
        "value2 = torch.ops.aten.matmul.default(value1, inputs[1])", "candidate = value2\n",
        "sys.exit(0 if nrmse <= 0.5 and largest <= 2.0 and not apart else 1)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

/// Case names, tap paths and devices come out of a golden that anybody may have sent.
TEST_F(ReproducerFolder, HasAScriptInWhichNoNameBecomesCode) {
  const Traced traced = trace_second("hostile", "    b = torch.einsum('ij->ij', a)\n");
  Reproducer what = reproducer(traced);
  what.title = "coding: utf_7\nimport os";
  what.command = "parity compare 'a\rb'\nimport os";
  what.libraries = {"/tmp/x\n'); import os"};
  traced.trace->save(folder_, what);
  const std::string text = script_text();
  for (const char* part : {"# coding: utf-8\n# coding: utf_7\\x0aimport os\n",
                           "# In this folder: parity compare 'a\\x0db'\\x0aimport os\n",
                           "torch.ops.load_library('/tmp/x\\x0a\\'); import os')\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.rfind("# coding: utf-8\n", 0), 0U)
      << "Python looks for an encoding in the first comments";
  EXPECT_EQ(text.find("\nimport os"), std::string::npos) << text;
}

TEST_F(ReproducerFolder, HasAScriptThatRefusesAnotherShape) {
  const Traced traced = trace_second("shapes", "    b = a + 1.0\n");
  traced.trace->save(folder_, reproducer(traced));
  const std::string text = script_text();
  const std::size_t check = text.find(
      "if candidate.shape != reference.shape:\n"
      "    print('shape', list(candidate.shape), 'instead of', list(reference.shape))\n"
      "    sys.exit(1)\n");
  EXPECT_LT(check, text.find("error, scale =")) << text;
}

/// Zeros of the other sign are other bits of the same numbers.
TEST_F(ReproducerFolder, DoesNotTellZerosOfEitherSignApart) {
  ScriptSpec spec;
  spec.children.emplace_back("first", linear_spec(4));
  spec.children.emplace_back("second", ScriptSpec{});
  spec.children.back().second.source =
      "def forward(self, a):\n    return (torch.bernoulli(a * 0.0 + 0.5) - 0.5) * 0.0\n";
  spec.source = "def forward(self, x):\n    return self.second.forward(self.first.forward(x))\n";
  const auto model = open_script(save_script(spec, "zeros"));
  Traced traced;
  traced.trace = trace_operators(*model, arguments(counting({2, 4})),
                                 {module_tap("first"), module_tap("second")}, traced.sink);
  traced.trace->save(folder_, reproducer(traced));
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8})
    EXPECT_EQ(traced.trace->difference_when_run(folder_, seed), "") << seed;
}

TEST_F(ReproducerFolder, NamesThePartsOfAListInItsScript) {
  const Traced traced =
      trace_second("list_script", "    p, q = torch.split(a, 1, 0)\n    b = p - q\n");
  traced.trace->save(folder_, reproducer(traced));
  const std::string text = script_text();
  EXPECT_NE(text.find("torch.ops.aten.sub.Tensor(value0[0], value0[1], "), std::string::npos)
      << text;
}

TEST_F(ReproducerFolder, SetsTheSwitchesOfTheRunInItsScript) {
  run::Settings settings = cpu_settings();
  settings.fp32_precision = run::Fp32Precision::tf32;
  settings.sdpa = run::Sdpa::math;
  settings.deterministic = run::Determinism::on;
  const Traced traced = trace_second("switches", "    b = a + 1.0\n");
  Reproducer what = reproducer(traced);
  what.settings = settings;
  traced.trace->save(folder_, what);
  const std::string text = script_text();
  for (const char* part :
       {"matmul.allow_tf32 = True", "set_num_threads(1)", "enable_cudnn_sdp(False)",
        "enable_math_sdp(True)", "enable_flash_sdp(False)", "enable_mem_efficient_sdp(False)",
        "use_deterministic_algorithms(True)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST_F(ReproducerFolder, IsRefusedWhereNothingWasComputed) {
  ScriptSpec spec;
  spec.children.emplace_back("first", linear_spec(4));
  spec.source = "def forward(self, x):\n    return self.first.forward(x)\n";
  const auto model = open_script(save_script(spec, "nothing"));
  CollectingSink sink;
  const auto trace = trace_operators(*model, arguments(counting({2, 4})),
                                     {module_tap("first"), output_tap()}, sink);
  EXPECT_TRUE(trace->operators().empty());
  const tensor::HostTensor& output = sink.tensors.at("<output>");
  EXPECT_THROW(trace->save(folder_, {output, "nothing", "", 0, 0, cpu_settings(), {}}), Error);
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

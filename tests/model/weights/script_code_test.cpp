// Which operators the code of a TorchScript archive calls, and for which layers: archives written
// here, as torch::jit::save writes them.
#include "model/weights/script_code.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

using namespace testing;
namespace p = testing::pickled;

using Users = std::map<std::string, std::vector<std::string>>;

/// An object of a module's class with submodules.
std::string module(const std::string& name,
                   const std::vector<std::pair<std::string, std::string>>& children) {
  std::vector<std::pair<std::string, std::string>> state = {{"training", "\x89"}};
  for (const auto& [child, object] : children) state.emplace_back(child, object);
  const std::size_t dot = name.rfind('.');
  return p::global(name.substr(0, dot), name.substr(dot + 1)) + ")\x81" + p::dict(state) + "b";
}

Users calls_of(const TemporaryFolder& folder, const Records& code, const std::string& root) {
  Records records;
  for (const auto& [name, text] : code) records.emplace_back("m/code/" + name, text);
  records.emplace_back("m/data.pkl", root.empty() ? "junk" : p::program(root));
  records.emplace_back("m/constants.pkl", p::program(p::tuple({})));
  Users users;
  for (const ScriptCall& call : script_calls(folder.write("m.pt", zip_of(records))))
    users[call.name] = call.layers;
  return users;
}

const Records kBlocks = {{"__torch__.py",
                          "class Model(Module):\n"
                          "  training : bool\n"
                          "  blocks : __torch__.torch.nn.modules.container.ModuleList\n"
                          "  def forward(self: __torch__.Model,\n"
                          "    x: Tensor) -> Tensor:\n"
                          "    for _0 in range(3):\n"
                          "      if torch.gt(_0, 1):\n"
                          "        x = ops.my_ops.rare(x)\n"
                          "    return (getattr(self.blocks, \"0\")).forward(x, )\n"
                          "class Block(Module):\n"
                          "  norm : __torch__.norms.___torch_mangle_0.Norm\n"
                          "  def forward(self: __torch__.Block,\n"
                          "    x: Tensor) -> Tensor:\n"
                          "    _0 = __torch__.helpers.twice\n"
                          "    return _0(ops.my_ops.fused(x, \"ops.my_ops.in_a_text\"), )\n"},
                         {"__torch__/norms/___torch_mangle_0.py",
                          "class Norm(Module):\n"
                          "  table : __torch__.torch.classes.my_ops.Table\n"
                          "  def forward(self: __torch__.norms.___torch_mangle_0.Norm,\n"
                          "    x: Tensor) -> Tensor:\n"
                          "    y = __torch__.helpers.Coder.__new__(__torch__.helpers.Coder)\n"
                          "    return (y).decode(ops.prim.data(x), )\n"},
                         {"__torch__/helpers.py",
                          "class Coder:\n"
                          "  def decode(self: __torch__.helpers.Coder, x: Tensor) -> Tensor:\n"
                          "    return ops.quantized.decode(x)  # ops.my_ops.in_a_remark(x)\n"
                          "def twice(x: Tensor) -> Tensor:\n"
                          "  return __torch__.helpers.inner(x, )\n"
                          "def inner(x: Tensor) -> Tensor:\n"
                          "  return ops.my_ops.deep(x)\n"
                          "def unused(x: Tensor) -> Tensor:\n"
                          "  return self.ops.my_ops.attribute(x)\n"}};

std::string blocks_object() {
  const std::string norm = "__torch__.norms.___torch_mangle_0.Norm";
  return module(
      "__torch__.Model",
      {{"blocks", module("__torch__.torch.nn.modules.container.ModuleList",
                         {{"0", module("__torch__.Block", {{"norm", module(norm, {})}})},
                          {"1", module("__torch__.Block", {{"norm", module(norm, {})}})}})}});
}

Records with_list() {
  Records code = kBlocks;
  code.emplace_back("__torch__/torch/nn/modules/container.py",
                    "class ModuleList(Module):\n  training : bool\n");
  return code;
}

TEST(ScriptCalls, AreFoundInControlFlowFunctionsAndPlainClassesForTheLayersThatCallThem) {
  const TemporaryFolder folder;
  const std::vector<std::string> blocks = {"blocks.0", "blocks.1"};
  const std::vector<std::string> norms = {"blocks.0.norm", "blocks.1.norm"};
  EXPECT_EQ(calls_of(folder, with_list(), blocks_object()),
            (Users{{"aten::gt", {""}},
                   {"my_ops::rare", {""}},
                   {"my_ops::fused", blocks},
                   {"my_ops::deep", blocks},
                   {"quantized::decode", norms},
                   {"__torch__.torch.classes.my_ops.Table", norms}}));
}

TEST(ScriptCalls, OfAModuleThatHangsTwiceGoByItsFirstPath) {
  const TemporaryFolder folder;
  const std::string shared = module("__torch__.Block", {});
  // The second place refers to the object of the first, as a pickle does.
  const std::string root = module("__torch__.Model", {{"a", shared + "q\x01"}, {"b", "h\x01"}});
  EXPECT_EQ(calls_of(folder, kBlocks, root).at("my_ops::fused"), (std::vector<std::string>{"a"}));
}

TEST(ScriptCalls, OfClassesWithoutALayerGoByTheirNames) {
  const TemporaryFolder folder;
  const Records code = {{"__torch__/a.py",
                         "class Lost(Module):\n  def forward(self, x):\n    return "
                         "ops.my_ops.one(x)\ndef alone(x):\n  return ops.my_ops.two(x)\n"}};
  const Users expected = {{"my_ops::one", {"class a.Lost"}}, {"my_ops::two", {"function a.alone"}}};
  EXPECT_EQ(calls_of(folder, code, module("__torch__.Other", {})), expected);
}

TEST(ScriptCalls, RefuseAFileThatIsNoArchive) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] { (void)script_calls(folder.write("m.pt", "junk")); }), "");
  EXPECT_NE(error_of([&] { (void)script_calls(folder.path("nowhere.pt")); }), "");
}

}  // namespace
}  // namespace parity::model

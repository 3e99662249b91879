#include "model/exported/tap_plan.h"

#include <gtest/gtest.h>

#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

ProgramArgument value(const std::string& name) { return {GraphValue{name}}; }

ModuleFrame frame(const std::string& path, const std::string& mark = "") {
  return {"L__" + path + mark, path, "m.Module"};
}

const ModuleFrame kRoot{"L__self__", "", "m.Root"};

ProgramNode node(const std::string& op, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs, std::vector<ModuleFrame> modules) {
  ProgramNode result;
  result.target = "torch.ops." + op + ".default";
  for (const std::string& input : inputs) result.inputs.push_back({"self", value(input)});
  for (const std::string& output : outputs) result.outputs.push_back(value(output));
  result.modules = std::move(modules);
  return result;
}

ProgramGraph graph(std::vector<ProgramNode> nodes, const std::vector<std::string>& outputs) {
  ProgramGraph result;
  result.inputs.push_back(value("x"));
  result.nodes = std::move(nodes);
  for (const std::string& output : outputs) result.outputs.push_back(value(output));
  return result;
}

std::string text_of(const ValueTree& tree) {
  if (tree.kind == ValueTree::Kind::leaf) return std::get<GraphValue>(tree.leaf.data).name;
  std::string text;
  for (const auto& [key, child] : tree.children)
    text += (text.empty() ? "" : " ") + (key.empty() ? "" : key + "=") + text_of(child);
  return "(" + text + ")";
}

/// "behind path=value" of each tap, in order.
std::vector<std::string> planned(const ProgramGraph& source,
                                 run::TapDepth depth = run::TapDepth::modules,
                                 const std::map<std::string, ModuleSignature>& signatures = {}) {
  const auto flat = flatten(source, "net.pt2");
  plan_taps(*flat, signatures, depth);
  std::vector<std::string> taps;
  for (const PlannedTap& tap : flat->taps) {
    const std::string name = tap.path + (tap.op.empty() ? "" : "/" + tap.op);
    taps.push_back(std::to_string(tap.behind) + " " + name + "=" + text_of(tap.value));
  }
  return taps;
}

using Taps = std::vector<std::string>;

TEST(TapPlan, TapsTheLastValueOfAModuleFromTheInsideOut) {
  const auto inner = frame("block.fc");
  const auto outer = frame("block");
  EXPECT_EQ(planned(graph({node("aten.linear", {"x"}, {"a"}, {kRoot, outer, inner}),
                           node("aten.relu", {"a"}, {"b"}, {kRoot, outer, frame("block.act")}),
                           node("aten.add", {"b"}, {"c"}, {kRoot})},
                          {"c"})),
            (Taps{"0 block.fc=a", "1 block.act=b", "1 block=b"}));
}

TEST(TapPlan, TellsCallsOfOneModuleApart) {
  EXPECT_EQ(planned(graph({node("aten.linear", {"x"}, {"a"}, {kRoot, frame("fc")}),
                           node("aten.linear", {"a"}, {"b"}, {kRoot, frame("fc", "@1")})},
                          {"b"})),
            (Taps{"0 fc=a", "1 fc=b"}));
}

TEST(TapPlan, GivesSeveralResultsPortsAndACacheNone) {
  const auto rotary = frame("rotary");
  const auto attention = frame("attention");
  EXPECT_EQ(planned(graph({node("aten.cos", {"x"}, {"cos"}, {kRoot, rotary}),
                           node("aten.sin", {"x"}, {"sin"}, {kRoot, rotary}),
                           node("aten.mul", {"cos"}, {"key"}, {kRoot, attention}),
                           node("aten.mul", {"key", "sin"}, {"out"}, {kRoot, attention}),
                           node("aten.add", {"out"}, {"end"}, {kRoot})},
                          {"end", "key"})),
            (Taps{"1 rotary=(cos sin)", "3 attention=out"}))
      << "the key leaves the module as well, but was used in it";
}

TEST(TapPlan, WaitsForWhatAModuleWritesIntoItsResult) {
  const auto module = frame("m");
  EXPECT_EQ(planned(graph({node("aten.clone", {"x"}, {"y"}, {kRoot, module}),
                           node("aten.select", {"y"}, {"row"}, {kRoot, module}),
                           node("aten.zero_", {"row"}, {"row2"}, {kRoot, module}),
                           node("aten.add", {"y"}, {"z"}, {kRoot})},
                          {"z"})),
            (Taps{"2 m=y"}));
}

TEST(TapPlan, IgnoresStraysBehindTheUseOfAResult) {
  const auto module = frame("m");
  ProgramNode size = node("aten.sym_size", {"a"}, {}, {});
  size.outputs.push_back({GraphValue{"n", ValueKind::number, 0}});
  EXPECT_EQ(planned(graph({node("aten.linear", {"x"}, {"a"}, {kRoot, module}), size,
                           node("aten.add", {"a"}, {"b"}, {kRoot}),
                           node("aten.detach", {"x"}, {"stray"}, {kRoot, module})},
                          {"b"})),
            (Taps{"0 m=a"}));
}

TEST(TapPlan, PutsAStepWithoutAStackWhereItsNeighboursLie) {
  const auto module = frame("m");
  EXPECT_EQ(planned(graph({node("aten.sin", {"x"}, {"a"}, {kRoot, module}),
                           node("aten.neg", {"a"}, {"b"}, {}),
                           node("aten.mul", {"b"}, {"c"}, {kRoot, module})},
                          {"c"})),
            (Taps{"2 m=c"}));
}

TEST(TapPlan, TapsHeavyOperatorsThatNoModuleHandsOn) {
  const auto module = frame("m");
  const ProgramGraph source =
      graph({node("aten.matmul", {"x"}, {"a"}, {kRoot, module}),
             node("aten.softmax", {"a"}, {"b"}, {kRoot, module}),
             node("aten.matmul", {"b"}, {"c"}, {kRoot, module}),
             node("my_ops.fused", {"c"}, {"d"}, {kRoot}), node("aten.relu", {"d"}, {"e"}, {kRoot})},
            {"e"});
  EXPECT_EQ(planned(source),
            (Taps{"0 m/aten.matmul=a", "1 m/aten.softmax=b", "2 m=c", "3 /my_ops.fused=d"}));
  EXPECT_EQ(planned(source, run::TapDepth::ops),
            (Taps{"0 m/aten.matmul=a", "1 m/aten.softmax=b", "2 m/aten.matmul=c", "2 m=c",
                  "3 /my_ops.fused=d", "4 /aten.relu=e"}));
}

TEST(TapPlan, GivesRecurrentLayersTheStructureThatPyTorchReturns) {
  const ModuleFrame lstm{"L__lstm", "lstm", "torch.nn.modules.rnn.LSTM"};
  EXPECT_EQ(planned(graph({node("aten.lstm", {"x"}, {"out", "h", "c"}, {kRoot, lstm})}, {"out"})),
            (Taps{"0 lstm=(out (h c))"}))
      << "also what nothing uses";
}

TEST(TapPlan, TakesTheResultsThatTheFileStates) {
  ModuleSignature signature;
  signature.outputs = {value("b"), value("a")};
  signature.output_tree.type = "builtins.dict";
  signature.output_tree.keys = {"first", "second"};
  signature.output_tree.children.resize(2);
  const auto module = frame("m");
  EXPECT_EQ(planned(graph({node("aten.sin", {"x"}, {"a"}, {kRoot, module}),
                           node("aten.cos", {"a"}, {"b"}, {kRoot, module})},
                          {"a", "b"}),
                    run::TapDepth::modules, {{"m", signature}}),
            (Taps{"1 m=(first=b second=a)"}));
}

TEST(FlatGraph, TakesApartGraphsThatOnlyWrap) {
  ProgramGraph inner = graph({node("aten.neg", {"x"}, {"y"}, {kRoot, frame("m")})}, {"y"});
  ProgramNode wrap;
  wrap.target = "torch.ops.higher_order.wrap_with_autocast";
  wrap.inputs = {{"", {std::string("cuda")}},
                 {"", {tensor::DType::bfloat16}},
                 {"", {true}},
                 {"", {false}},
                 {"", {Subgraph{"submod", std::make_shared<ProgramGraph>(inner)}}},
                 {"", value("x")}};
  wrap.outputs = {value("outer")};
  const auto flat =
      flatten(graph({wrap, node("aten.sin", {"outer"}, {"z"}, {kRoot})}, {"z"}), "net.pt2");
  ASSERT_EQ(flat->steps.size(), 4U);
  EXPECT_EQ(flat->steps[0].kind, FlatStep::Kind::enter_autocast);
  EXPECT_EQ(flat->steps[1].node.target, "torch.ops.aten.neg.default");
  EXPECT_EQ(flat->steps[2].kind, FlatStep::Kind::leave_autocast);
  const auto slot = [](const ProgramArgument& argument) {
    return std::get<GraphValue>(argument.data).slot;
  };
  EXPECT_EQ(slot(flat->steps[3].node.inputs[0].argument), slot(flat->steps[1].node.outputs[0]));
}

TEST(FlatGraph, FreesEachValueBehindItsLastUse) {
  const auto flat = flatten(
      graph({node("aten.sin", {"x"}, {"a"}, {kRoot}), node("aten.cos", {"a"}, {"b"}, {kRoot}),
             node("aten.max", {"b"}, {"c", "unused"}, {kRoot})},
            {"c"}),
      "net.pt2");
  find_last_uses(*flat);
  const auto names = [&](std::size_t step) {
    std::vector<std::string> found;
    for (const auto& [name, slot] : flat->slot_of) {
      const auto& dead = flat->steps[step].dead_behind;
      if (std::find(dead.begin(), dead.end(), slot) != dead.end()) found.push_back(name);
    }
    return found;
  };
  EXPECT_EQ(names(0), (Taps{"x"}));
  EXPECT_EQ(names(1), (Taps{"a"}));
  EXPECT_EQ(names(2), (Taps{"b", "unused"}));
}

TEST(FlatGraph, RefusesAValueThatNothingGives) {
  const std::string message = testing::error_of(
      [] { (void)flatten(graph({node("aten.sin", {"nobody"}, {"a"}, {})}, {"a"}), "net.pt2"); });
  EXPECT_NE(message.find("`nobody`, which nothing gives"), std::string::npos) << message;
}

}  // namespace
}  // namespace parity::model

#include "model/exported/program_json.h"

#include <gtest/gtest.h>

#include "model/exported/json_argument.h"
#include "model/weights/file_writers.h"

namespace parity::model {
namespace {

/// A program that adds its input to itself; `change` alters its JSON first.
std::string program_text(const std::function<void(nlohmann::json&)>& change = {}) {
  auto json = nlohmann::json::parse(R"json({
    "graph_module": {
      "graph": {
        "inputs": [{"as_tensor": {"name": "x"}}],
        "outputs": [{"as_tensor": {"name": "add"}}],
        "nodes": [{
          "target": "torch.ops.aten.add.Tensor",
          "inputs": [{"name": "self", "arg": {"as_tensor": {"name": "x"}}},
                     {"name": "other", "arg": {"as_tensor": {"name": "x"}}}],
          "outputs": [{"as_tensor": {"name": "add"}}],
          "metadata": {"nn_module_stack": "L__self__,,m.Net;L__self__a@1,a@1,m.A",
                       "stack_trace": "File \"/home/me/net.py\", line 42, in forward\n  x\n  File \"/usr/torch/nn/a.py\", line 7, in forward"}
        }],
        "tensor_values": {"x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Symbol('s0')"}}, {"as_int": 3}]},
                          "add": {"dtype": 99, "sizes": []}},
        "sym_int_values": {}, "sym_bool_values": {}},
      "signature": {"input_specs": [{"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
                    "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "add"}}}}]},
      "module_call_graph": [{"fqn": "", "signature": {"inputs": [], "outputs": [],
        "in_spec": "[1, {\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": \"builtins.tuple\", \"context\": \"null\", \"children_spec\": [{\"type\": null, \"context\": null, \"children_spec\": []}]}, {\"type\": \"builtins.dict\", \"context\": \"[]\", \"children_spec\": []}]}]",
        "out_spec": "[1, {\"type\": null, \"context\": null, \"children_spec\": []}]",
        "forward_arg_names": ["x"]}}]},
    "opset_version": {"aten": 10},
    "range_constraints": {"s0": {"min_val": 2, "max_val": null}},
    "schema_version": {"major": 8, "minor": 14},
    "torch_version": "2.9.1",
    "guards_code": ["L['x'].size()[0] != 5"]})json");
  if (change) change(json);
  return json.dump();
}

std::string refusal(const std::string& text) {
  return testing::error_of([&] { (void)parse_program(text, "net.pt2"); });
}

TEST(ProgramJson, ReadsAProgram) {
  const Program program = parse_program(program_text(), "net.pt2");
  EXPECT_EQ(program.schema_version, "8.14");
  EXPECT_EQ(program.torch_version, "2.9.1");
  ASSERT_EQ(program.graph.nodes.size(), 1U);
  const ProgramNode& node = program.graph.nodes[0];
  EXPECT_EQ(node.source, "net.py:42") << "PyTorch's own lines say less";
  ASSERT_EQ(node.modules.size(), 2U);
  EXPECT_EQ(node.modules[1].path, "a") << "the mark of a second call is no part of the path";
  EXPECT_EQ(node.modules[1].call, "L__self__a@1");
  EXPECT_EQ(std::get<std::string>(program.graph.tensors.at("x").sizes[0]), "Symbol('s0')");
  EXPECT_EQ(program.graph.tensors.at("add").dtype, std::nullopt);
  EXPECT_EQ(program.ranges.at("s0").min, 2);
  EXPECT_EQ(program.ranges.at("s0").max, std::nullopt);
  EXPECT_EQ(program.argument_names, std::vector<std::string>{"x"});
  EXPECT_EQ(program.output_tree.leaves(), 1U);
}

TEST(ProgramJson, RefusesAnotherMajorVersionOfTheSchema) {
  const std::string message =
      refusal(program_text([](nlohmann::json& json) { json["schema_version"]["major"] = 9; }));
  for (const char* const part :
       {"net.pt2", "schema version 9.14", "PyTorch 2.9.1", "version 8", "torch.export.save"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(refusal(program_text([](nlohmann::json& json) {
              json["schema_version"]["minor"] = 99;
              json["new_key"] = 1;
              json["graph_module"]["graph"]["nodes"][0]["new_key"] = 1;
            })),
            "")
      << "minor versions only gain keys";
}

TEST(ProgramJson, RefusesWhatIsNoProgramInOneSentence) {
  using Change = std::function<void(nlohmann::json&)>;
  const std::pair<const char*, Change> rows[] = {
      {"form that its schema", [](auto& json) { json.erase("graph_module"); }},
      {"form that its schema", [](auto& json) { json["graph_module"]["graph"]["nodes"] = 3; }},
      {"form that its schema", [](auto& json) { json["schema_version"] = "8.14"; }},
      {"form that its schema",
       [](auto& json) { json["graph_module"]["graph"]["nodes"][0].erase("target"); }},
      {"takes and returns",
       [](auto& json) { json["graph_module"]["module_call_graph"] = nlohmann::json::array(); }},
      {"names other inputs or outputs",
       [](auto& json) {
         json["graph_module"]["signature"]["input_specs"] = nlohmann::json::array();
       }},
      {"`custom_obj`",
       [](auto& json) {
         json["graph_module"]["signature"]["input_specs"][0] = {
             {"custom_obj",
              {{"arg", {{"name", "x"}, {"class_fqn", "c"}}}, {"custom_obj_name", "q"}}}};
       }},
      {"`token`",
       [](auto& json) {
         json["graph_module"]["signature"]["input_specs"][0] = {
             {"token", {{"arg", {{"name", "x"}}}}}};
       }},
  };
  for (const auto& [words, change] : rows) {
    const std::string message = refusal(program_text(change));
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_NE(refusal("{").find("no valid JSON"), std::string::npos);
  EXPECT_NE(refusal("").find("no valid JSON"), std::string::npos);
}

TEST(ProgramJson, KeepsArgumentsOfEveryKind) {
  const auto read = [](const char* text) {
    return argument_from_json(nlohmann::json::parse(text)).data;
  };
  EXPECT_EQ(std::get<std::int64_t>(read(R"({"as_int": -3})")), -3);
  EXPECT_TRUE(std::isinf(std::get<double>(read(R"({"as_float": "-Infinity"})"))));
  EXPECT_EQ(std::get<tensor::DType>(read(R"({"as_scalar_type": 13})")), tensor::DType::bfloat16);
  EXPECT_EQ(std::get<MemoryFormat>(read(R"({"as_memory_format": 2})")),
            MemoryFormat::channels_last);
  EXPECT_EQ(std::get<DeviceName>(read(R"({"as_device": {"type": "cuda", "index": 1}})")).index, 1);
  EXPECT_EQ(std::get<GraphValue>(read(R"({"as_sym_int": {"as_name": "s"}})")).kind,
            ValueKind::number);
  EXPECT_EQ(std::get<std::int64_t>(read(R"({"as_sym_int": {"as_int": 4}})")), 4);
  const auto optional = std::get<ArgumentList>(
      read(R"({"as_optional_tensors": [{"as_tensor": {"name": "t"}}, {"as_none": true}]})"));
  EXPECT_EQ(std::get<GraphValue>(optional.items[0].data).name, "t");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(optional.items[1].data));
  EXPECT_EQ(std::get<UnreadArgument>(read(R"({"as_custom_obj": {"name": "q"}})")).kind,
            "as_custom_obj");
}

TEST(ProgramJson, NamesContainersChildrenByKeysAndFields) {
  const auto keys = [](const std::string& type, const std::string& context) {
    const std::string leaf = R"({"type": null, "context": null, "children_spec": []})";
    return parse_tree_spec("[1, {\"type\": \"" + type +
                               "\", \"context\": " + nlohmann::json(context).dump() +
                               ", \"children_spec\": [" + leaf + "," + leaf + "]}]",
                           "net.pt2")
        .keys;
  };
  EXPECT_EQ(keys("builtins.dict", R"(["b", "a"])"), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(keys("transformers.modeling_outputs.CausalLMOutput", R"(["logits", "past"])"),
            (std::vector<std::string>{"logits", "past"}));
  EXPECT_EQ(keys("collections.defaultdict", R"({"dict_context": ["x", "y"]})"),
            (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(keys("builtins.tuple", "null").empty());
}

TEST(ProgramJson, FindsPlainPathsAndLinesOfTheModel) {
  EXPECT_EQ(plain_path("layers.slice(None, 2, None).0.fc"), "layers.0.fc");
  EXPECT_EQ(plain_path("slice(None, 2, None).0"), "0");
  EXPECT_EQ(plain_path("blocks.3@2.fc@10"), "blocks.3.fc");
  EXPECT_EQ(source_of_trace("File \"/a/site-packages/torch/nn/linear.py\", line 5, in f"),
            "linear.py:5");
  EXPECT_EQ(
      source_of_trace("File \"/m/net.py\", line 3, in f\n  File \"<eval_with_key>.1\", line 9"),
      "net.py:3");
  EXPECT_EQ(source_of_trace("nothing"), "");
}

}  // namespace
}  // namespace parity::model

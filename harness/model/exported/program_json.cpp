#include "model/exported/program_json.h"

#include <utility>

#include "error/error.h"
#include "model/exported/json_argument.h"
#include "model/weights/json_text.h"

namespace parity::model {
namespace {

using nlohmann::json;

/// The schema of torch.export 2.9 to 2.11; minor versions only gain what older readers can leave
/// out.
constexpr std::int64_t kSchemaMajor = 8;

std::string version_of(const json& document, const std::string& label) {
  const json& version = document.at("schema_version");
  const json& major = version.at("major");
  const json& minor = version.at("minor");
  if (!major.is_number() || !minor.is_number())
    throw MalformedProgram("its schema has no version of numbers");
  std::string text = major.dump() + "." + minor.dump();
  if (major.is_number_integer() && major == kSchemaMajor && minor.is_number_integer()) return text;
  const std::string writer = document.value("torch_version", std::string());
  throw Error(ErrorKind::model,
              label + " is an exported program with schema version " + text +
                  (writer.empty() ? "" : " of PyTorch " + writer) + ", and version " +
                  std::to_string(kSchemaMajor) +
                  " is read; export it again with PyTorch 2.9 to 2.11 and torch.export.save");
}

std::optional<ProgramArgument> constant_of(const json& value) {
  if (value.is_null()) return ProgramArgument{};
  ProgramArgument argument = argument_from_json(value);
  if (std::holds_alternative<UnreadArgument>(argument.data)) return std::nullopt;
  return argument;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
[[noreturn]] void refuse_input(const std::string& kind, const std::string& label) {
  throw Error(ErrorKind::model,
              label + " has an input of kind `" + kind +
                  "`, which parity cannot give to a program: export the model without custom "
                  "objects (torch.classes) and effects");
}

ProgramInput input_from_json(const json& spec, const std::string& label) {
  if (!spec.is_object() || spec.size() != 1) throw MalformedProgram("an input has not one kind");
  const auto& kind = spec.begin().key();
  const json& value = spec.begin().value();
  const auto bound = [&](InputRole role, const char* target) {
    return ProgramInput{role,
                        {GraphValue{value.at("arg").at("name").get<std::string>()}},
                        value.at(target).get<std::string>()};
  };
  if (kind == "parameter") return bound(InputRole::parameter, "parameter_name");
  if (kind == "buffer") return bound(InputRole::buffer, "buffer_name");
  if (kind == "tensor_constant") return bound(InputRole::tensor_constant, "tensor_constant_name");
  if (kind == "user_input") {
    ProgramArgument argument = argument_from_json(value.at("arg"));
    const auto* named = std::get_if<GraphValue>(&argument.data);
    if (std::holds_alternative<UnreadArgument>(argument.data))
      refuse_input(value.at("arg").begin().key(), label);
    std::string name = named == nullptr ? "" : named->name;
    const InputRole role = named == nullptr ? InputRole::constant : InputRole::user;
    return {role, std::move(argument), std::move(name)};
  }
  if (kind == "constant_input") {
    if (auto constant = constant_of(value.at("value")))
      return {InputRole::constant, *std::move(constant), value.at("name").get<std::string>()};
  }
  refuse_input(kind, label);
}

TreeSpec tree_from_json(const json& value, const std::string& label) {
  TreeSpec tree;
  if (!value.at("type").is_null()) tree.type = value.at("type").get<std::string>();
  for (const json& child : list_at(value, "children_spec"))
    tree.children.push_back(tree_from_json(child, label));
  if (!value.at("context").is_string()) return tree;
  // What a type of container keeps beside its children; where that names them, it is their keys.
  json context = parse_json(value.at("context").get<std::string>(), label);
  if (context.is_object() && context.contains("dict_context")) context = context["dict_context"];
  if (!context.is_array() || context.size() != tree.children.size()) return tree;
  for (const json& key : context)
    tree.keys.push_back(key.is_string() ? key.get<std::string>() : key.dump());
  return tree;
}

void name_tuple_fields(TreeSpec& tree, const json& fields) {
  for (TreeSpec& child : tree.children) name_tuple_fields(child, fields);
  if (!tree.keys.empty()) return;
  for (const auto& [type, definition] : fields.items()) {
    if (tree.type != type && tree.type != "collections.namedtuple") continue;
    const auto names = definition.at("field_names").get<std::vector<std::string>>();
    if (names.size() == tree.children.size()) tree.keys = names;
  }
}

void read_call_graph(const json& module, Program& program, const std::string& label) {
  const json fields = module.value("treespec_namedtuple_fields", json::object());
  bool found = false;
  for (const json& entry : list_at(module, "module_call_graph")) {
    if (!entry.contains("signature") || entry.at("signature").is_null()) continue;
    const json& signature = entry.at("signature");
    TreeSpec outputs = parse_tree_spec(signature.at("out_spec").get<std::string>(), label);
    name_tuple_fields(outputs, fields);
    const std::string path = plain_path(entry.at("fqn").get<std::string>());
    if (path.empty()) {
      found = true;
      program.output_tree = std::move(outputs);
      program.input_tree = parse_tree_spec(signature.at("in_spec").get<std::string>(), label);
      if (signature.contains("forward_arg_names") && !signature.at("forward_arg_names").is_null())
        signature.at("forward_arg_names").get_to(program.argument_names);
      continue;
    }
    ModuleSignature& preserved = program.signatures[entry.at("fqn").get<std::string>()];
    preserved.output_tree = std::move(outputs);
    for (const json& output : list_at(signature, "outputs"))
      preserved.outputs.push_back(argument_from_json(output));
  }
  if (!found)
    throw Error(ErrorKind::model,
                label +
                    " does not say what its program takes and returns; export it again with "
                    "torch.export.save");
}

void read_ranges(const json& document, Program& program) {
  for (const auto& [symbol, range] : object_at(document, "range_constraints").items()) {
    RangeConstraint& constraint = program.ranges[symbol];
    const auto bound = [&range = range](const char* key) -> std::optional<std::int64_t> {
      if (!range.contains(key) || range.at(key).is_null()) return std::nullopt;
      return whole_number(range.at(key));
    };
    constraint = {bound("min_val"), bound("max_val")};
  }
  if (document.contains("guards_code")) document.at("guards_code").get_to(program.guards);
}

const GraphValue* value_in(const ProgramArgument& argument) {
  return std::get_if<GraphValue>(&argument.data);
}

/// What the program returns, and writes into buffers and inputs: as the graph has it, in its order.
void read_outputs(const json& specs, Program& program) {
  const std::vector<ProgramArgument>& outputs = program.graph.outputs;
  if (specs.size() != outputs.size())
    throw MalformedProgram("its signature and its graph have other outputs");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (std::holds_alternative<UnreadArgument>(outputs[i].data))
      throw MalformedProgram("an output of its graph is none");
    if (!specs[i].contains("user_output")) continue;
    ProgramArgument output = argument_from_json(specs[i].at("user_output").at("arg"));
    const GraphValue* named = value_in(output);
    const GraphValue* given = value_in(outputs[i]);
    if ((named == nullptr) != (given == nullptr) ||
        (named != nullptr && named->name != given->name))
      throw MalformedProgram("its signature and its graph have other outputs");
    program.user_outputs.push_back(std::move(output));
  }
}

Program program_from_json(const json& document, const std::string& label) {
  Program program;
  program.schema_version = version_of(document, label);
  program.torch_version = document.value("torch_version", std::string());
  const json& module = document.at("graph_module");
  program.graph = graph_from_json(module.at("graph"));
  const json& signature = module.at("signature");
  for (const json& spec : list_at(signature, "input_specs"))
    program.inputs.push_back(input_from_json(spec, label));
  read_outputs(list_at(signature, "output_specs"), program);
  read_call_graph(module, program, label);
  read_ranges(document, program);
  if (program.inputs.size() != program.graph.inputs.size() ||
      program.user_outputs.size() != program.output_tree.leaves()) {
    throw Error(ErrorKind::model, label +
                                      " names other inputs or outputs than its graph has; export "
                                      "it again with torch.export.save");
  }
  return program;
}

}  // namespace

std::size_t TreeSpec::leaves() const {
  if (type.empty() && children.empty()) return 1;
  std::size_t count = 0;
  for (const TreeSpec& child : children) count += child.leaves();
  return count;
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
TreeSpec parse_tree_spec(const std::string& text, const std::string& label) {
  const json document = parse_json(text, label + ": the structure of its arguments");
  // [version, tree]
  return tree_from_json(document.at(1), label + ": a container's fields");
}

Program parse_program(std::string_view text, const std::string& label) {
  const json document = parse_json(text, label + ": its program");
  try {
    return program_from_json(document, label);
  } catch (const MalformedProgram& error) {
    throw Error(ErrorKind::model, label +
                                      " is no exported program of the form that its schema "
                                      "gives it (" +
                                      error.what() + "); export it again with torch.export.save");
  } catch (const json::exception& error) {
    throw Error(ErrorKind::model,
                label +
                    " is no exported program of the form that its schema gives it; export it "
                    "again with torch.export.save")
        .with_detail(error.what());
  }
}

}  // namespace parity::model

#include "model/exported/program_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "error/error.h"
#include "model/exported/input_checks.h"

namespace parity::model {
namespace {

using tensor::Value;

[[noreturn]] void misfit(const Program& program, const std::string& what) {
  throw Error(ErrorKind::usage, "the inputs do not fit the exported program: " + what +
                                    "; it takes " + program_signature(program));
}

bool is_own_input(const ProgramInput& input) {
  return input.role == InputRole::user || input.role == InputRole::constant;
}

std::vector<const ProgramInput*> own_inputs(const Program& program) {
  std::vector<const ProgramInput*> own;
  for (const ProgramInput& input : program.inputs) {
    if (is_own_input(input)) own.push_back(&input);
  }
  return own;
}

/// What forward is called with, argument by argument: trees of positional ones, then of keywords.
struct Parameter {
  std::string name;
  const TreeSpec* tree;
  std::size_t first_leaf;
};

std::vector<Parameter> parameters_of(const Program& program) {
  std::vector<Parameter> parameters;
  std::size_t leaf = 0;
  for (const TreeSpec& part : program.input_tree.children) {
    for (std::size_t i = 0; i < part.children.size(); ++i) {
      const std::size_t position = parameters.size();
      std::string name = part.keys.size() == part.children.size() ? part.keys[i]
                         : position < program.argument_names.size()
                             ? program.argument_names[position]
                             : "argument" + std::to_string(position);
      parameters.push_back({std::move(name), &part.children[i], leaf});
      leaf += part.children[i].leaves();
    }
  }
  return parameters;
}

const std::vector<Value>* items_of(const Value& value) {
  if (const auto* tuple = std::get_if<tensor::ValueTuple>(&value.data)) return &tuple->items;
  if (const auto* list = std::get_if<tensor::ValueList>(&value.data)) return &list->items;
  return nullptr;
}

class Arguments {
 public:
  explicit Arguments(const Program& program)
      : program_(program), parameters_(parameters_of(program)), own_(own_inputs(program)) {
    leaves_.resize(own_.size());
  }

  std::vector<InputLeaf> from(const Value& inputs) {
    const std::vector<Value>* positional = items_of(inputs);
    if (const auto* dict = std::get_if<tensor::ValueDict>(&inputs.data)) {
      by_keyword(*dict);
    } else if (positional != nullptr && !is_only_argument(*positional)) {
      by_position(*positional);
    } else {
      by_position({inputs});
    }
    fill_in_constants();
    return std::move(leaves_);
  }

 private:
  /// A tuple may be the one argument that the program takes.
  [[nodiscard]] bool is_only_argument(const std::vector<Value>& items) const {
    if (parameters_.size() != 1) return false;
    const TreeSpec& tree = *parameters_[0].tree;
    return !tree.type.empty() && tree.keys.empty() &&
           (items.size() != 1 || items_of(items[0]) == nullptr);
  }

  void by_position(const std::vector<Value>& items) {
    if (items.size() > parameters_.size()) {
      misfit(program_, std::to_string(items.size()) + " values were given for " +
                           std::to_string(parameters_.size()) +
                           (parameters_.size() == 1 ? " argument" : " arguments"));
    }
    for (std::size_t i = 0; i < items.size(); ++i) give(parameters_[i], items[i]);
  }

  void by_keyword(const tensor::ValueDict& dict) {
    for (const auto& [key, item] : dict.items) {
      const auto found =
          std::find_if(parameters_.begin(), parameters_.end(),
                       [&key = key](const Parameter& each) { return each.name == key; });
      if (found == parameters_.end()) misfit(program_, "there is no argument '" + key + "'");
      give(*found, item);
    }
  }

  void give(const Parameter& parameter, const Value& value) {
    std::size_t leaf = parameter.first_leaf;
    flatten(*parameter.tree, value, {parameter.name, "['" + parameter.name + "']"}, leaf);
  }

  struct Place {
    std::string name;  ///< for people: "pairs.0"
    std::string path;  ///< as guards spell it: "['pairs'][0]"
  };

  void flatten(const TreeSpec& tree, const Value& value, const Place& place, std::size_t& leaf) {
    if (tree.type.empty() && tree.children.empty()) {
      leaves_.at(leaf++) = {place.name, place.path, value};
      return;
    }
    const bool named = !tree.keys.empty();
    const std::vector<Value>* items = items_of(value);
    const auto* dict = std::get_if<tensor::ValueDict>(&value.data);
    const std::size_t given = dict != nullptr    ? dict->items.size()
                              : items != nullptr ? items->size()
                                                 : 0;
    const bool fits = named ? dict != nullptr : items != nullptr;
    if (!fits || given != tree.children.size()) {
      misfit(program_, "argument '" + place.name + "' is a " +
                           std::string(tensor::kind_name(value)) +
                           (fits ? " of " + std::to_string(given) : "") + ", not a " + tree.type +
                           " of " + std::to_string(tree.children.size()));
    }
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      if (!named) {
        const std::string index = std::to_string(i);
        flatten(tree.children[i], (*items)[i],
                {place.name + "." + index, place.path + "[" + index + "]"}, leaf);
        continue;
      }
      const std::string& key = tree.keys[i];
      const auto found = std::find_if(dict->items.begin(), dict->items.end(),
                                      [&](const auto& item) { return item.first == key; });
      if (found == dict->items.end())
        misfit(program_, "argument '" + place.name + "' lacks the key '" + key + "'");
      flatten(tree.children[i], found->second,
              {place.name + "." + key, place.path + "['" + key + "']"}, leaf);
    }
  }

  void fill_in_constants() {
    for (const Parameter& parameter : parameters_) {
      const std::size_t end = parameter.first_leaf + parameter.tree->leaves();
      for (std::size_t leaf = parameter.first_leaf; leaf < end; ++leaf) {
        if (!leaves_.at(leaf).path.empty()) continue;
        const auto constant = own_.at(leaf)->role == InputRole::constant
                                  ? value_of_constant(own_[leaf]->argument)
                                  : std::nullopt;
        if (!constant) misfit(program_, "argument '" + parameter.name + "' is missing");
        leaves_[leaf] = {parameter.name, "['" + parameter.name + "']", *constant};
      }
    }
  }

  const Program& program_;
  std::vector<Parameter> parameters_;
  std::vector<const ProgramInput*> own_;
  std::vector<InputLeaf> leaves_;
};

std::string size_text(const SymbolicSize& size) {
  if (const auto* known = std::get_if<std::int64_t>(&size)) return std::to_string(*known);
  return short_expression(std::get<std::string>(size));
}

std::string leaf_text(const Program& program, const ProgramInput& input) {
  const auto* value = std::get_if<GraphValue>(&input.argument.data);
  if (value == nullptr) return "=" + constant_text(input.argument);
  const auto tensor = program.graph.tensors.find(value->name);
  if (tensor == program.graph.tensors.end()) return ": int";
  std::string sizes;
  for (const SymbolicSize& size : tensor->second.sizes)
    sizes += (sizes.empty() ? "" : ", ") + size_text(size);
  const auto dtype = tensor->second.dtype;
  return ": " + (dtype ? std::string(tensor::name(*dtype)) : "tensor") + " [" + sizes + "]";
}

}  // namespace

std::string program_signature(const Program& program) {
  const std::vector<const ProgramInput*> own = own_inputs(program);
  std::string text;
  for (const Parameter& parameter : parameters_of(program)) {
    if (!text.empty()) text += ", ";
    text += parameter.name;
    const bool leaf = parameter.tree->type.empty() && parameter.first_leaf < own.size();
    text += leaf ? leaf_text(program, *own[parameter.first_leaf])
                 : ": " + parameter.tree->type + " of " +
                       std::to_string(parameter.tree->children.size());
  }
  return "(" + text + ")" + range_text(program);
}

std::vector<Value> program_arguments(const Program& program, const Value& inputs,
                                     FloatingInputs floating) {
  const std::vector<const ProgramInput*> own = own_inputs(program);
  if (program.input_tree.leaves() != own.size()) {
    throw Error(ErrorKind::model,
                "the exported program takes other inputs than it says; export it again");
  }
  const std::vector<InputLeaf> leaves = Arguments(program).from(inputs);
  const std::string fault = input_fault(program, own, leaves, floating);
  if (!fault.empty()) misfit(program, fault);
  std::vector<Value> values;
  values.reserve(leaves.size());
  for (const InputLeaf& leaf : leaves) values.push_back(leaf.value);
  return values;
}

}  // namespace parity::model

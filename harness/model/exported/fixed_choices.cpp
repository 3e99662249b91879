#include "model/exported/fixed_choices.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "model/exported/tap_plan.h"

namespace parity::model {
namespace {

constexpr const char* kMetadataAssertion = "aten._assert_tensor_metadata";

void each_step(FlatGraph& graph, const std::function<void(FlatStep&)>& visit) {
  for (FlatStep& step : graph.steps) {
    visit(step);
    for (const std::shared_ptr<FlatGraph>& inner : step.graphs) each_step(*inner, visit);
  }
}

void each_step(const FlatGraph& graph, const std::function<void(const FlatStep&)>& visit) {
  for (const FlatStep& step : graph.steps) {
    visit(step);
    for (const std::shared_ptr<FlatGraph>& inner : step.graphs)
      each_step(std::as_const(*inner), visit);
  }
}

// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool is_same(const DeviceName& one, const DeviceName& other) {
  return one.type == other.type && one.index.value_or(0) == other.index.value_or(0);
}

/// Operators that make a tensor of PyTorch's default dtype where they are told none: told what the
/// export made then.
void tell_default_dtype(ProgramNode& node) {
  static const std::set<std::string> kMakers = {
      "aten.empty", "aten.eye",   "aten.full",  "aten.linspace", "aten.logspace",     "aten.ones",
      "aten.rand",  "aten.randn", "aten.zeros", "aten.arange",   "aten.scalar_tensor"};
  const bool told =
      std::any_of(node.inputs.begin(), node.inputs.end(), [](const NamedArgument& input) {
        return input.name == "dtype" &&
               !std::holds_alternative<std::monostate>(input.argument.data);
      });
  if (told || !node.made || !tensor::is_floating(*node.made) ||
      kMakers.count(dotted_operator(node.target)) == 0)
    return;
  std::erase_if(node.inputs, [](const NamedArgument& input) { return input.name == "dtype"; });
  node.inputs.push_back({"dtype", {*node.made}});
}

/// Whether a value of `dtype` is rounded where it is put into `fixed`.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool holds_less(tensor::DType fixed, tensor::DType dtype) {
  return tensor::is_floating(fixed) && tensor::is_floating(dtype) &&
         tensor::size_bytes(fixed) < tensor::size_bytes(dtype);
}

/// "op aten.to of layer norm (float32)", each once.
void add_place(std::vector<std::string>& places, const ProgramNode& node, tensor::DType dtype) {
  const std::string place = place_of(node) + " (" + std::string(tensor::name(dtype)) + ")";
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

}  // namespace

Replaced replace_fixed_choices(FlatGraph& graph, const DeviceName& device,
                               std::optional<tensor::DType> run_dtype) {
  Replaced replaced;
  std::vector<std::string> places;
  each_step(graph, [&](FlatStep& step) {
    tell_default_dtype(step.node);
    const bool assertion = dotted_operator(step.node.target) == kMetadataAssertion;
    for (NamedArgument& input : step.node.inputs) {
      ProgramArgument& argument = input.argument;
      // Autocast names a kind of device in a text.
      auto* text = std::get_if<std::string>(&argument.data);
      if (step.kind == FlatStep::Kind::enter_autocast && text != nullptr) *text = device.type;
      if (auto* fixed = std::get_if<DeviceName>(&argument.data);
          fixed != nullptr && fixed->type != "meta" && !is_same(*fixed, device)) {
        *fixed = device;
        ++replaced.devices;
      }
      const auto* dtype = std::get_if<tensor::DType>(&argument.data);
      if (dtype == nullptr || !run_dtype) continue;
      if (assertion && tensor::is_floating(*dtype)) {
        argument = {};
      } else if (holds_less(*dtype, *run_dtype)) {
        add_place(places, step.node, *dtype);
        argument = {*run_dtype};
      }
    }
  });
  replaced.dtypes = listed_places(places);
  return replaced;
}

std::string fixed_dtypes_of(const FlatGraph& graph, tensor::DType wanted) {
  std::vector<std::string> places;
  each_step(graph, [&](const FlatStep& step) {
    for (const NamedArgument& input : step.node.inputs) {
      const auto* dtype = std::get_if<tensor::DType>(&input.argument.data);
      if (dtype != nullptr && *dtype != wanted && tensor::is_floating(*dtype))
        add_place(places, step.node, *dtype);
    }
  });
  return places.empty() ? "" : "a dtype is fixed in " + listed_places(places);
}

std::string listed_places(const std::vector<std::string>& places) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(places.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + places[i];
  if (places.size() > kMost) text += " and " + std::to_string(places.size() - kMost) + " more";
  return text;
}

std::string place_of(const ProgramNode& node) {
  const std::string op = dotted_operator(node.target);
  const std::string higher = higher_order_name(node.target);
  const std::string path = node.modules.empty() ? "" : node.modules.back().path;
  return "op " + (op.empty() ? (higher.empty() ? node.target : higher) : op) + " of " +
         (path.empty() ? "the model" : "layer " + path);
}

}  // namespace parity::model

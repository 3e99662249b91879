#include "model/exported/exported_model.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <c10/core/DeviceGuard.h>

#include "error/error.h"
#include "error/last_words.h"
#include "model/exported/fixed_choices.h"
#include "model/exported/flat_graph.h"
#include "model/exported/input_checks.h"
#include "model/exported/node_checks.h"
#include "model/exported/program_file.h"
#include "model/exported/program_inputs.h"
#include "model/exported/program_runner.h"
#include "model/exported/program_weights.h"
#include "model/exported/tap_plan.h"
#include "model/exported/vocabulary.h"
#include "model/exported/written_inputs.h"
#include "model/standard_output_aside.h"
#include "model/torch/bridge.h"
#include "model/torch/cast.h"
#include "model/torch/device.h"
#include "model/torch/failure.h"
#include "model/torch/guard.h"
#include "model/torch/logits.h"
#include "model/torch/random_numbers.h"
#include "model/torch/tap_emitter.h"
#include "model/torch/warnings.h"
#include "model/weights/one_line.h"

namespace parity::model {
namespace {

bool is_weight(const ProgramInput& input) {
  return input.role == InputRole::parameter || input.role == InputRole::buffer ||
         input.role == InputRole::tensor_constant;
}

DeviceName name_of(const c10::Device& device) {
  DeviceName name{c10::DeviceTypeName(device.type(), /*lower_case=*/true), std::nullopt};
  if (device.has_index()) name.index = device.index();
  return name;
}

class ExportedModel final : public Model {
 public:
  ExportedModel(const Source& source, const run::Settings& settings)
      : file_name_(source.model.filename().string()),
        settings_(settings),
        device_(resolve_device(settings)),
        allocator_(make_host_allocator(device_)) {
    apply_switches(settings_, device_);
    const c10::DeviceGuard guard(device_);
    ProgramFile file = read_program_file(source.model);
    program_ = std::move(file.program);
    lay_out(source.model.string());
    describe(file.weights);
    load_weights(std::move(file.weights));
  }

  [[nodiscard]] const run::ModelDescription& description() const override { return description_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] bool draws_random_numbers() const override { return draws_random_numbers_; }
  [[nodiscard]] std::int64_t vocabulary() const override { return vocabulary_; }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return *allocator_; }

  [[nodiscard]] run::Provenance provenance() const override {
    run::Provenance facts = device_provenance(device_, settings_);
    facts.set("model.kind", description_.kind);
    facts.set("model.exported_by", program_.torch_version);
    return facts;
  }

  void run(const tensor::Value& inputs, Instrumentation instrumentation,
           run::TapSink& sink) override;

  [[nodiscard]] bool is_logits(const run::TapId& output, const tensor::Shape& shape,
                               const tensor::Value& inputs) const override {
    const bool named = output.kind == run::TapKind::output && output.port.empty() && only_logits_;
    return named || looks_like_logits(output, shape, inputs);
  }

  [[nodiscard]] std::string refusal_of(const tensor::Value& inputs) const override {
    try {
      (void)program_arguments(program_, inputs, floating_inputs());
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

 private:
  void lay_out(const std::string& label);
  void describe(const std::map<std::string, ProgramWeight>& weights);
  void load_weights(std::map<std::string, ProgramWeight> weights);
  [[nodiscard]] FloatingInputs floating_inputs() const {
    return settings_.dtype ? FloatingInputs::cast : FloatingInputs::as_given;
  }
  [[nodiscard]] std::vector<c10::IValue> graph_inputs(const tensor::Value& inputs) const;
  [[nodiscard]] c10::IValue forward(const tensor::Value& inputs, TapEmitter* emitter);
  [[nodiscard]] std::string fixed_in_program(const std::string& failure) const;
  void note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  std::string file_name_;
  run::Settings settings_;
  c10::Device device_;
  std::unique_ptr<run::HostAllocator> allocator_;
  Program program_;
  std::shared_ptr<FlatGraph> graph_;
  ValueTree outputs_;
  std::optional<ProgramRunner> runner_;
  std::optional<ProgramWeights> weights_;
  std::set<std::string> written_;  ///< weights that a run writes into
  run::ModelDescription description_;
  std::int64_t vocabulary_ = 0;
  bool only_logits_ = false;  ///< the one output there is has this name
  bool draws_random_numbers_ = false;
  std::vector<std::string> notes_;
};

/// From the file's graph to one that runs here, with its taps.
void ExportedModel::lay_out(const std::string& label) {
  graph_ = flatten(program_.graph, label);
  if (const std::string missing = what_cannot_run(*graph_); !missing.empty())
    throw Error(ErrorKind::model, "cannot run " + label + ": " + missing);
  if (const std::string misfit = misfit_of(*graph_); !misfit.empty()) {
    throw Error(ErrorKind::model, "cannot run " + label + ": " + one_line(misfit) +
                                      "; export the model again with the libraries that run it");
  }
  const Replaced replaced = replace_fixed_choices(*graph_, name_of(device_), settings_.dtype);
  if (replaced.devices > 0) {
    note((replaced.devices == 1
              ? "one device that is fixed in the program was"
              : std::to_string(replaced.devices) + " devices that are fixed in the program were") +
         " replaced by " + device_.str());
  }
  if (!replaced.dtypes.empty()) {
    note("a dtype that the program fixes in " + replaced.dtypes + " is " +
         std::string(tensor::name(*settings_.dtype)) + " in this run");
  }
  for (const std::string& guard : unchecked_guards(program_))
    note("a condition of the export is not checked: `" + guard + "`");
  plan_taps(*graph_, program_.signatures, settings_.taps);
  // The outputs as the graph gives them: what it writes into buffers and inputs stands before them.
  std::vector<ProgramArgument> values = program_.user_outputs;
  for (ProgramArgument& output : values) {
    auto* value = std::get_if<GraphValue>(&output.data);
    if (value == nullptr) continue;
    const auto slot = graph_->slot_of.find(value->name);
    if (slot == graph_->slot_of.end())
      throw Error(ErrorKind::model, label + " is damaged (nothing gives its output `" +
                                        value->name + "`); export the model again");
    value->slot = slot->second;
  }
  outputs_ = tree_of(program_.output_tree, values);
  only_logits_ = program_.output_tree.keys == std::vector<std::string>{"logits"};
  find_last_uses(*graph_);
  runner_.emplace(graph_);
}

void ExportedModel::describe(const std::map<std::string, ProgramWeight>& weights) {
  StateDict all;
  for (const auto& [name, weight] : weights) {
    all.tensors.push_back(weight.stored);
    if (weight.role == WeightRole::parameter)
      description_.parameter_count += tensor::element_count(weight.stored.shape);
  }
  description_.file_name = file_name_;
  description_.kind = "exported_program";
  description_.weights = digest_weights(all);
  description_.all_weights = run::digest_of_weights(description_.weights);
}

void ExportedModel::load_weights(std::map<std::string, ProgramWeight> weights) {
  vocabulary_ = vocabulary_of(program_, *graph_);
  const std::set<std::size_t> written = written_inputs(*graph_);
  std::set<std::string> names;
  for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
    const ProgramInput& input = program_.inputs[i];
    if (!is_weight(input)) continue;
    names.insert(input.target);
    if (written.count(i) != 0) written_.insert(input.target);
  }
  weights_.emplace(std::move(weights), names, device_, cast_of(settings_));
}

std::vector<c10::IValue> ExportedModel::graph_inputs(const tensor::Value& inputs) const {
  // To whoever listens, the run begins behind this.
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  const std::vector<tensor::Value> own = program_arguments(program_, inputs, floating_inputs());
  const std::map<std::string, at::Tensor> weights = weights_->for_run(written_);
  const Cast cast = cast_of(settings_);
  std::vector<c10::IValue> values;
  std::size_t next = 0;
  for (const ProgramInput& input : program_.inputs) {
    values.push_back(is_weight(input) ? c10::IValue(weights.at(input.target))
                                      : to_ivalue(own.at(next++), device_, cast));
  }
  return values;
}

/// What of the program is to blame, where a dtype that it names may be.
std::string ExportedModel::fixed_in_program(const std::string& failure) const {
  if (read_failure(failure).fault != Fault::fixed_dtype) return "";
  return fixed_dtypes_of(*graph_, settings_.dtype.value_or(tensor::DType::float32));
}

c10::IValue ExportedModel::forward(const tensor::Value& inputs, TapEmitter* emitter) {
  std::vector<c10::IValue> values = graph_inputs(inputs);
  try {
    return value_of(outputs_, runner_->run(std::move(values), emitter));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::model || runner_->place().empty()) throw;
    throw Error(ErrorKind::model, "running " + runner_->place() + ": " + error.what())
        .with_detail(error.detail());
  } catch (const std::exception& error) {
    const std::string failure = text_of(error);
    const std::string cast =
        settings_.dtype ? " in " + std::string(tensor::name(*settings_.dtype)) : "";
    throw_torch_failure("running " + runner_->place() + cast, failure, fixed_in_program(failure));
  }
}

void ExportedModel::run(const tensor::Value& inputs, Instrumentation instrumentation,
                        run::TapSink& sink) {
  const StandardOutputAside aside;  // from operators that print
  const LastWords last_words("running " + file_name_);
  with_torch_errors("running " + file_name_, [&] {
    WarningCollector warnings;
    apply_switches(settings_, device_);
    const c10::DeviceGuard guard(device_);
    const RandomWatch random(device_);
    TapEmitter emitter(sink);
    const bool taps = instrumentation == Instrumentation::taps;
    const c10::IValue output = forward(inputs, taps ? &emitter : nullptr);
    emitter.model_output(output);
    if (random.drew()) {
      draws_random_numbers_ = true;
      note(
          "the model draws random numbers; the same seed gives others on another device or in "
          "another dtype, and what comes behind them differs there");
    }
    for (const std::string& text : warnings.texts()) note(text);
    if (taps && emitter.emitted() == 0) {
      throw Error(ErrorKind::model, "the program of " + file_name_ +
                                        " yields no tensor, so there is nothing to compare; "
                                        "export one that does");
    }
  });
}

}  // namespace

std::unique_ptr<Model> open_exported(const Source& source, const run::Settings& settings) {
  std::unique_ptr<Model> model;
  with_torch_errors("opening " + source.model.string(),
                    [&] { model = std::make_unique<ExportedModel>(source, settings); });
  return model;
}

}  // namespace parity::model

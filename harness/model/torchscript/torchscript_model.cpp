#include "model/torchscript/torchscript_model.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include "error/error.h"
#include "error/last_words.h"
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
#include "model/torchscript/arguments.h"
#include "model/torchscript/fixed_in_code.h"
#include "model/torchscript/fresh_state.h"
#include "model/torchscript/instrument.h"
#include "model/torchscript/script_file.h"

namespace parity::model {
namespace {

/// An instrumented graph and what runs it.
struct Instrumented {
  InstrumentedGraph plan;
  torch::jit::GraphExecutor executor;

  Instrumented(const ScriptFile& script, Probing probing)
      : plan(instrument(script.module, script.method, probing)),
        executor(plan.graph, script.method) {}
};

/// "op aten.linear of layer encoder.0"; a site without op is where the model raised an error of its
/// own.
std::string place_text(const Site& site) {
  const std::string layer = site.path.empty() ? "the model" : "layer " + site.path;
  return site.op.empty() ? layer : "op " + site.op + " of " + layer;
}

class TorchScriptModel final : public Model {
 public:
  TorchScriptModel(const Source& source, const run::Settings& settings)
      : source_(source),
        settings_(settings),
        device_(resolve_device(settings)),
        allocator_(make_host_allocator(device_)) {
    apply_switches(settings_, device_);
    load();
    notes_ = script_.notes;
  }

  [[nodiscard]] const run::ModelDescription& description() const override {
    return script_.description;
  }
  [[nodiscard]] run::Provenance provenance() const override;
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] bool draws_random_numbers() const override { return draws_random_numbers_; }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return *allocator_; }
  void run(const tensor::Value& inputs, Instrumentation instrumentation,
           run::TapSink& sink) override;
  [[nodiscard]] bool is_logits(const run::TapId& output, const tensor::Shape& shape,
                               const tensor::Value& inputs) const override {
    return looks_like_logits(output, shape, inputs);
  }

 private:
  [[nodiscard]] Instrumented& tapped();
  [[nodiscard]] torch::jit::Stack fresh_stack(const tensor::Value& inputs);
  [[nodiscard]] c10::IValue forward(const tensor::Value& inputs, Instrumentation instrumentation,
                                    TapEmitter& emitter);
  [[nodiscard]] c10::IValue forward_tapped(torch::jit::Stack stack, TapEmitter& emitter);
  [[nodiscard]] std::string failing_place(const tensor::Value& inputs, const std::string& failure,
                                          const TapEmitter& emitter);
  [[nodiscard]] std::string marked_failure(const tensor::Value& inputs);
  [[nodiscard]] std::string fixed_in_code(const std::string& failure) const;
  void load();
  [[nodiscard]] bool wrote() const { return shared_->version() != version_; }
  void undo_writes();
  void note(const std::string& text);

  Source source_;
  run::Settings settings_;
  c10::Device device_;
  std::unique_ptr<run::HostAllocator> allocator_;
  ScriptFile script_;
  std::optional<Shared> shared_;        ///< of script_
  std::uint64_t version_ = 0;           ///< of shared_, as loaded
  bool has_run_ = false;                ///< since it was loaded
  bool draws_random_numbers_ = false;   ///< in any run so far
  std::optional<Instrumented> tapped_;  ///< of script_
  std::vector<std::string> notes_;
};

run::Provenance TorchScriptModel::provenance() const {
  run::Provenance facts = device_provenance(device_, settings_);
  facts.set("model.kind", script_.description.kind);
  facts.set("model.method", script_.method);
  return facts;
}

void TorchScriptModel::note(const std::string& text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
}

Instrumented& TorchScriptModel::tapped() {
  if (!tapped_) {
    tapped_.emplace(script_,
                    settings_.taps == run::TapDepth::ops ? Probing::op_taps : Probing::module_taps);
    for (const std::string& text : tapped_->plan.notes) note(text);
  }
  return *tapped_;
}

torch::jit::Stack TorchScriptModel::fresh_stack(const tensor::Value& inputs) {
  // To whoever listens, the run begins behind this.
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  const auto& schema = script_.module.get_method(script_.method).function().getSchema();
  torch::jit::Stack stack = method_arguments(schema, inputs, {device_, cast_of(settings_)});
  stack.insert(stack.begin(), copy_with_shared_weights(script_.module)._ivalue());
  return stack;
}

c10::IValue TorchScriptModel::forward_tapped(torch::jit::Stack stack, TapEmitter& emitter) {
  Instrumented& instrumented = tapped();
  Probe probe(instrumented.plan.sites, &emitter);
  try {
    instrumented.executor.run(stack);
  } catch (...) {
    probe.rethrow_sink_error();
    throw;
  }
  return stack.at(0);
}

/// The op and layer that a run with a mark in front of every operator fails in. That would cost too
/// much in a run that succeeds, so it is done once more when one has failed. Empty when the second
/// run does not fail.
std::string TorchScriptModel::marked_failure(const tensor::Value& inputs) {
  apply_switches(settings_, device_);
  undo_writes();
  Instrumented marked(script_, Probing::marks);
  Probe probe(marked.plan.sites, nullptr);
  torch::jit::Stack stack = fresh_stack(inputs);
  try {
    marked.executor.run(stack);
  } catch (const std::exception&) {
    if (const Site* site = probe.last_mark()) return place_text(*site);
  }
  return {};
}

std::string TorchScriptModel::failing_place(const tensor::Value& inputs, const std::string& failure,
                                            const TapEmitter& emitter) {
  const std::string file = source_.model.filename().string();
  if (read_failure(failure).kind != ErrorKind::model) {
    // A device that failed or is full must not be asked to do the same again.
    const std::string code = code_at_fault(failure);
    return file + (emitter.last_tap().empty() ? "" : " behind tap " + emitter.last_tap()) +
           (code.empty() ? "" : ", at " + code);
  }
  try {
    const std::string place = marked_failure(inputs);
    return place.empty() ? file : place;
  } catch (const std::exception&) {
    return file;  // the failure itself is what matters, its place is a courtesy
  }
}

/// What of the code is to blame, where a dtype or a device that it names may be.
std::string TorchScriptModel::fixed_in_code(const std::string& failure) const {
  const Fault fault = read_failure(failure).fault;
  if (fault == Fault::fixed_device) return fixed_devices(script_.module);
  if (fault != Fault::fixed_dtype) return "";
  return fixed_dtypes(script_.module,
                      settings_.dtype ? scalar_type_of(*settings_.dtype) : at::kFloat);
}

c10::IValue TorchScriptModel::forward(const tensor::Value& inputs, Instrumentation instrumentation,
                                      TapEmitter& emitter) {
  torch::jit::Stack stack = fresh_stack(inputs);
  try {
    if (instrumentation == Instrumentation::taps) return forward_tapped(std::move(stack), emitter);
    script_.module.get_method(script_.method).function().run(stack);
    return stack.at(0);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string failure = text_of(error);
    const std::string place = failing_place(inputs, failure, emitter);
    const std::string cast =
        settings_.dtype ? " in " + std::string(tensor::name(*settings_.dtype)) : "";
    throw_torch_failure("running " + place + cast, failure, fixed_in_code(failure));
  }
}

void TorchScriptModel::load() {
  // Released first, so that the device never holds two copies; and the graphs before the module,
  // since they name types that live and die with it.
  tapped_.reset();
  shared_.reset();
  script_ = {};
  script_ = load_script(source_.model, source_.method, device_, settings_);
  shared_.emplace(script_.module);
  version_ = shared_->version();
  has_run_ = false;
}

/// After this nothing of an earlier run is left in what runs share.
void TorchScriptModel::undo_writes() {
  if (!shared_ || (has_run_ && (wrote() || shared_->may_change_unseen()))) load();
}

void TorchScriptModel::run(const tensor::Value& inputs, Instrumentation instrumentation,
                           run::TapSink& sink) {
  const StandardOutputAside aside;  // from operators that print
  const std::string file = source_.model.filename().string();
  const LastWords last_words("running " + file);
  with_torch_errors("running " + file, [&] {
    WarningCollector warnings;
    apply_switches(settings_, device_);
    const c10::DeviceGuard guard(device_);
    undo_writes();
    has_run_ = true;
    const RandomWatch random(device_);
    TapEmitter emitter(sink);
    const c10::IValue output = forward(inputs, instrumentation, emitter);
    emitter.model_output(output);
    if (random.drew()) {
      draws_random_numbers_ = true;
      note(
          "the model draws random numbers; the same seed gives others on another device or in "
          "another dtype, and what comes behind them differs there");
    }
    if (wrote())
      note(
          "the model writes into its own weights; they are read from the file again for every run");
    for (const std::string& text : warnings.texts()) note(text);
    if (instrumentation == Instrumentation::taps && emitter.emitted() == 0) {
      throw Error(ErrorKind::model,
                  "method " + script_.method + " of " + file + " yields no tensor (it returns " +
                      output.type()->annotation_str() +
                      "), so there is nothing to compare; name another method with --method.");
    }
  });
}

void drop(const std::string& /*text*/) {}

}  // namespace

std::unique_ptr<Model> open_torchscript(const Source& source, const run::Settings& settings) {
  // The library's own handler writes to standard output, where the report goes.
  torch::jit::setPrintHandler(source.printed != nullptr ? source.printed : drop);
  std::unique_ptr<Model> model;
  with_torch_errors("opening " + source.model.string(),
                    [&] { model = std::make_unique<TorchScriptModel>(source, settings); });
  return model;
}

}  // namespace parity::model

// Puts config, weights, device and network together behind the Model interface.
#include "model/decoder/decoder_model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <c10/core/DeviceGuard.h>

#include "error/error.h"
#include "error/last_words.h"
#include "model/decoder/decode_plan.h"
#include "model/decoder/decoder_config.h"
#include "model/decoder/decoding.h"
#include "model/decoder/greedy_tokens.h"
#include "model/decoder/network.h"
#include "model/decoder/token_inputs.h"
#include "model/decoder/weight_layout.h"
#include "model/decoder/weight_placement.h"
#include "model/torch/device.h"
#include "model/torch/guard.h"
#include "model/torch/tap_emitter.h"
#include "model/torch/warnings.h"
#include "model/weights/one_line.h"
#include "model/weights/state_dict.h"
#include "tensor/dtype.h"

namespace parity::model {
namespace {

class DecoderModel final : public Model {
 public:
  DecoderModel(const Source& source, const run::Settings& settings, DecoderConfig config,
               const StateDict& weights)
      : settings_(settings), config_(std::move(config)), device_(resolve_device(settings)) {
    const WeightBinding binding = bind_weights(config_, weights);
    dtype_ = run_dtype(weights, binding, settings.dtype);
    apply_switches(settings_, device_);
    const c10::DeviceGuard guard(device_);
    PlacedWeights placed = place_weights(config_, weights, binding, dtype_, settings_, device_);
    devices_ = std::move(placed.devices);
    network_ = config_.architecture == Architecture::gpt2
                   ? make_gpt2(config_, std::move(placed.weights))
                   : make_llama_like(config_, std::move(placed.weights));
    allocator_ = make_host_allocator(device_);
    describe(source, weights, binding.parameter_count);
    for (const std::vector<std::string>& notes :
         {config_.notes, weights.notes, binding.notes, placed.notes}) {
      notes_.insert(notes_.end(), notes.begin(), notes.end());
    }
  }

  [[nodiscard]] const run::ModelDescription& description() const override { return description_; }
  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }
  [[nodiscard]] std::int64_t vocabulary() const override { return config_.vocabulary; }
  [[nodiscard]] run::HostAllocator& host_allocator() override { return *allocator_; }

  [[nodiscard]] run::Provenance provenance() const override {
    run::Provenance facts = device_provenance(device_, settings_);
    facts.set("model.kind", description_.kind);
    facts.set("model.dtype", std::string(tensor::name(dtype_)));
    if (!config_.dtype.empty()) {
      facts.set("model.config_dtype", config_.dtype);
    }
    add_placement(facts);
    return facts;
  }

  void run(const tensor::Value& inputs, Instrumentation instrumentation,
           run::TapSink& sink) override {
    const LastWords last_words("running " + description_.file_name);
    with_torch_errors("running " + description_.file_name, [&] {
      WarningCollector warnings;
      const TokenInputs tokens = read_token_inputs(inputs, config_);
      if (const std::string remark = position_remark(tokens, config_); !remark.empty())
        note(remark);
      apply_switches(settings_, device_);
      const c10::DeviceGuard guard(device_);
      TapEmitter emitter(sink);
      const ForwardTaps taps(emitter, instrumentation, settings_.taps);
      forward(tokens, taps, emitter);
      for (const std::string& text : warnings.texts()) note(text);
    });
  }

  [[nodiscard]] tensor::Value with_greedy_tokens(const tensor::Value& inputs,
                                                 std::int64_t steps) override {
    std::vector<std::int64_t> chosen;
    std::int64_t batch = 0;
    with_torch_errors("decoding with " + description_.file_name, [&] {
      WarningCollector repeated;  // by the runs that are fed these tokens
      const TokenInputs tokens = read_token_inputs(inputs, config_);
      if (tokens.steps > 0) {
        throw Error(ErrorKind::usage,
                    "the inputs hold decode_tokens already, which are fed as they are: leave "
                    "--decode out, or the decode_tokens");
      }
      check_continuable(tokens, config_, steps);
      apply_switches(settings_, device_);
      const c10::DeviceGuard guard(device_);
      chosen = greedy_tokens(*network_, config_, devices_, tokens, steps);
      batch = tokens.batch;
    });
    return with_decode_tokens(inputs, batch, chosen);
  }

  [[nodiscard]] std::string refusal_of(const tensor::Value& inputs) const override {
    try {
      (void)read_token_inputs(inputs, config_);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  [[nodiscard]] bool is_logits(const run::TapId& output, const tensor::Shape& /*shape*/,
                               const tensor::Value& /*inputs*/) const override {
    return output.kind == run::TapKind::output;
  }

 private:
  void forward(const TokenInputs& tokens, const ForwardTaps& taps, TapEmitter& emitter) const {
    if (tokens.steps == 0) {
      emitter.model_output(network_->forward(make_batch(tokens, config_, devices_), nullptr, taps));
      return;
    }
    Decoding decoding(*network_, config_, devices_, tokens, taps);
    emitter.model_output(decoding.prefill());
    for (std::int64_t step = 1; step <= tokens.steps; ++step)
      emitter.model_output(decoding.step(step_ids(tokens, step)));
  }

  /// Of several devices the first one's facts stand for all, but for their names.
  void add_placement(run::Provenance& facts) const {
    if (settings_.streaming) facts.set("run.weights", "streamed");
    if (settings_.devices.empty()) return;
    std::vector<std::string> names;
    std::string used;
    for (const c10::Device& device : devices_of(settings_, device_)) {
      used.append(used.empty() ? "" : " ").append(device.str());
      names.emplace_back(device_provenance(device, settings_).get("device.name"));
    }
    facts.set("device.name", each_once(names));
    facts.set("run.devices", used);
  }

  void describe(const Source& source, const StateDict& weights, std::uint64_t parameter_count) {
    description_.file_name = source.model.filename().string();
    description_.kind = "decoder:" + std::string(name(config_.architecture));
    description_.parameter_count = parameter_count;
    description_.weights = digest_weights(weights);
    description_.all_weights = run::digest_of_weights(description_.weights);
  }

  void note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }

  run::Settings settings_;
  DecoderConfig config_;
  c10::Device device_;  ///< the first, where inputs go
  LayerDevices devices_{device_, {}};
  tensor::DType dtype_ = tensor::DType::float32;
  std::unique_ptr<Network> network_;
  std::unique_ptr<run::HostAllocator> allocator_;
  run::ModelDescription description_;
  std::vector<std::string> notes_;
};

/// Every weight of a decoder lies in a submodule, so its name has a dot.
void refuse_saved_inputs(const StateDict& weights, const std::string& file) {
  const auto& tensors = weights.tensors;
  if (tensors.empty() || std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
        return tensor.name.find('.') != std::string::npos;
      })) {
    return;
  }
  throw Error(ErrorKind::model, file + " holds `" + one_line(tensors.front().name) +
                                    "`, which is no decoder's weight; if these are inputs, give "
                                    "them with --inputs and the model with --model");
}

}  // namespace

std::unique_ptr<Model> open_decoder(const Source& source, const run::Settings& settings) {
  const StateDict weights = read_state_dict(source.model, source.state_key);
  refuse_saved_inputs(weights, source.model.string());
  if (source.config.empty()) {
    throw Error(ErrorKind::usage,
                source.model.string() +
                    " holds weights without an architecture; pass the model's config.json with "
                    "--config");
  }
  std::unique_ptr<Model> model;
  with_torch_errors("opening " + source.model.string(), [&] {
    DecoderConfig config = read_decoder_config(source.config);
    model = std::make_unique<DecoderModel>(source, settings, std::move(config), weights);
  });
  return model;
}

}  // namespace parity::model

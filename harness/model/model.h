// The one interface to every kind of model: open a file, describe it, run a case through it and
// hand out taps. Torch stays behind it; the kind is decided by content, never by the file's
// extension.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "run/model_description.h"
#include "run/provenance.h"
#include "run/settings.h"
#include "run/tap_stream.h"
#include "tensor/value.h"

namespace parity::model {

/// Where the model comes from.
struct Source {
  std::filesystem::path model;   ///< TorchScript archive, state_dict or safetensors (index) file
  std::filesystem::path config;  ///< config.json of a bare state_dict; empty when not given
  std::string state_key;         ///< dotted key of the state_dict inside the file; empty: found
  std::string method;            ///< TorchScript method to run; empty: forward
  std::vector<std::filesystem::path>
      libraries;  ///< custom operator libraries, loaded before the model
  void (*printed)(const std::string& text) = nullptr;  ///< takes what the model prints
};

/// Whether a run hands out every tap or the model's outputs alone (to see that tapping changes
/// nothing).
enum class Instrumentation : std::uint8_t { taps, outputs_only };

/// The input that makes a case a decode: tokens, [batch, steps], that are fed behind the prompt.
inline constexpr std::string_view kDecodeTokens = "decode_tokens";

/// A loaded model on its device.
class Model {
 public:
  virtual ~Model() = default;

  [[nodiscard]] virtual const run::ModelDescription& description() const = 0;

  /// Groups "device.", "library.", "switch." and "model." as they are in force for this model.
  [[nodiscard]] virtual run::Provenance provenance() const = 0;

  /// Remarks about the model or the last run that a person should see ("was saved in training mode;
  /// eval is used").
  [[nodiscard]] virtual std::vector<std::string> notes() const = 0;

  /// Whether a run so far drew random numbers from the seeded generators: on another device, and in
  /// another dtype, the same seed gives others.
  [[nodiscard]] virtual bool draws_random_numbers() const { return false; }

  /// Number of token ids the model knows; 0 when the file does not say.
  [[nodiscard]] virtual std::int64_t vocabulary() const { return 0; }

  /// Host memory that this model's device copies into without blocking.
  [[nodiscard]] virtual run::HostAllocator& host_allocator() = 0;

  /// Runs one case from freshly loaded state: nothing of an earlier run is left, buffers included.
  /// `inputs`: a tuple or list gives positional arguments, a dict keyword arguments, anything else
  /// the only one. Taps go to `sink` in execution order, the model's outputs last with kind output.
  /// On return every tap has been handed over (its copy may still be under way). Throws
  /// Error(model) with op and layer when the forward pass fails, Error(device) or Error(resource).
  virtual void run(const tensor::Value& inputs, Instrumentation instrumentation,
                   run::TapSink& sink) = 0;

  /// The inputs of a case in which the model goes on from `inputs` by its own best tokens: `inputs`
  /// by name and kDecodeTokens, int64 [batch, steps], which every run of the case is then fed,
  /// one token a step. Throws Error(usage) for a model whose cache parity cannot drive,
  /// Error(model) for inputs that no token can follow.
  [[nodiscard]] virtual tensor::Value with_greedy_tokens(const tensor::Value& inputs,
                                                         std::int64_t steps);

  /// Why the model is not made for these inputs, known without running it (a position beyond its
  /// table); empty when nothing is known against them.
  [[nodiscard]] virtual std::string refusal_of(const tensor::Value& /*inputs*/) const { return {}; }

  /// True when this output tap is known to be logits (last dimension is the vocabulary).
  [[nodiscard]] virtual bool is_logits(const run::TapId& output, const tensor::Shape& shape,
                                       const tensor::Value& inputs) const = 0;
};

/// Opens a model for running. Throws Error(model) in one sentence that says what the file is and
/// how to get one that works, when it is none of the supported kinds; Error(device) when the device
/// is not there.
[[nodiscard]] std::unique_ptr<Model> open_model(const Source& source,
                                                const run::Settings& settings);

}  // namespace parity::model

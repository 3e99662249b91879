// Flags that every command which runs a model shares: where the model is, on what and with which
// switches it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "run/settings.h"

namespace CLI {
class App;
}

namespace parity::cli {

/// Texts as typed; the functions below turn them into settings.
struct RunFlags {
  std::string model;
  std::string config;
  std::string state_key;
  std::string method;
  std::vector<std::string> libraries;
  std::string device = "auto";
  std::vector<std::string> devices;
  std::string stream_weights;  ///< "auto", or a size with its unit
  std::string dtype;
  std::string fp32_precision = "ieee";
  std::string sdpa = "default";
  std::optional<int> threads;
  bool deterministic = false;
};

void add_run_flags(CLI::App& command, RunFlags& flags);

[[nodiscard]] model::Source source_of(const RunFlags& flags);

/// Device, dtype and numeric switches; taps and seed are the command's own.
[[nodiscard]] run::Settings settings_of(const RunFlags& flags);

[[nodiscard]] run::TapDepth tap_depth_of(const std::string& text);

}  // namespace parity::cli

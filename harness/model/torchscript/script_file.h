// Private to model/: a TorchScript file in memory, on its device and in its dtype, ready to run.
// Knows nothing of taps; keeps what the file held before anything was cast.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "run/model_description.h"
#include "run/settings.h"

namespace parity::model {

struct ScriptFile {
  torch::jit::Module module;
  std::string method;                 ///< the method to run
  run::ModelDescription description;  ///< weights as stored in the file
  std::vector<std::string> notes;
};

/// Loads `file` straight to `device` (wherever it was saved), puts it in eval mode and casts
/// floating weights as `settings` say. `method`: empty takes forward, or the only method there is.
/// Throws Error(model) when torch cannot read the file, Error(usage) when there is no such
/// method.
[[nodiscard]] ScriptFile load_script(const std::filesystem::path& file, const std::string& method,
                                     const c10::Device& device, const run::Settings& settings);

}  // namespace parity::model

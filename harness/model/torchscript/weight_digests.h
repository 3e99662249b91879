// Private to model/: every number that a TorchScript module brings along, digested under a name
// that is the same wherever the file is read. Knows nothing of devices, casts or how the module
// runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/csrc/jit/api/module.h>

#include "run/model_description.h"

namespace parity::model {

struct ScriptWeights {
  std::vector<run::WeightDigest> digests;  ///< sorted by name, names are unique
  /// Elements of all parameters; of all constants when freezing or tracing left no parameter.
  std::uint64_t parameter_count = 0;
  std::vector<std::string> notes;  ///< what holds numbers without a digest, by module
};

/// Digests the tensors of every attribute (parameter, buffer or plain, also inside lists, tuples,
/// dicts and objects) of every submodule as `path.attribute`, and the tensor constants of every
/// method and hook, with the functions that these call, as `path.method.constant0`. Methods that
/// instances share are named after the first. Packed, quantised and sparse weights become notes.
[[nodiscard]] ScriptWeights digest_script_weights(const torch::jit::Module& module);

}  // namespace parity::model

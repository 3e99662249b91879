// TorchScript files for tests, built from source text through torch's own compiler. Free of torch
// itself.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "tensor/host_tensor.h"
#include "tensor/value.h"

namespace parity::model {

enum class SavedMode : std::uint8_t { evaluation, training };

struct ScriptSpec {
  std::string source;  ///< methods, "def forward(self, x):\n    return x\n"
  std::vector<std::pair<std::string, tensor::HostTensor>> parameters;
  std::vector<std::pair<std::string, tensor::HostTensor>> buffers;
  std::vector<std::pair<std::string, tensor::HostTensor>>
      attributes;  ///< tensors that are neither parameter nor buffer
  std::vector<std::pair<std::string, tensor::HostTensor>>
      constants;  ///< attributes in the source, constants of the graphs in the file
  std::vector<std::pair<std::string, tensor::HostTensor>>
      packed;  ///< weights of quantised linear layers, as the opaque objects that quantising makes
  std::vector<std::pair<std::string, ScriptSpec>> children;
  std::vector<std::pair<std::string, std::string>>
      second_names;  ///< another attribute for a child: name, child
  SavedMode mode = SavedMode::evaluation;
};

/// Writes the module to a file of its own in the test's temporary folder.
[[nodiscard]] std::filesystem::path save_script(const ScriptSpec& spec, const std::string& name);

/// y = x @ weight, with weight[i][j] = i - j, square.
[[nodiscard]] ScriptSpec linear_spec(std::int64_t size);

/// float32 tensor whose elements are 0.5, 1, 1.5, ...
[[nodiscard]] tensor::HostTensor counting(const tensor::Shape& shape);
[[nodiscard]] tensor::HostTensor integers(const tensor::Shape& shape,
                                          std::vector<std::int64_t> values);

template <class... Items>
[[nodiscard]] tensor::Value arguments(Items... items) {
  return {tensor::ValueTuple{{tensor::Value{std::move(items)}...}}};
}

/// Settings for bit-equal runs on the CPU.
[[nodiscard]] run::Settings cpu_settings();

[[nodiscard]] std::unique_ptr<Model> open_script(const std::filesystem::path& file,
                                                 const run::Settings& settings = cpu_settings(),
                                                 const std::string& method = "");

}  // namespace parity::model

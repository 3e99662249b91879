// The choices that a run is made with: device, dtype, numeric switches and which taps fire.
// Plain data: cli/ fills it, model/ obeys it, provenance records it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace parity::run {

enum class Fp32Precision : std::uint8_t { ieee, tf32 };
enum class Sdpa : std::uint8_t { math, flash, efficient, default_choice };
enum class Determinism : std::uint8_t { off, on };
/// `modules`: every submodule output plus numerically heavy functional ops inside modules. `ops`:
/// every ATen op too.
enum class TapDepth : std::uint8_t { modules, ops };

/// Weights that are brought to the device layer by layer.
struct WeightStreaming {
  std::uint64_t budget_bytes = 0;  ///< weights on each device at a time; 0: two layers of them
};

struct Settings {
  std::string device = "auto";       ///< "auto" (first GPU, else cpu), "cpu", "cuda", "cuda:N"
  std::vector<std::string> devices;  ///< layers are spread over these; empty: all on `device`
  std::optional<WeightStreaming> streaming;  ///< nullopt: all weights stay on the device
  std::optional<tensor::DType>
      dtype;  ///< floating weights and inputs are cast to it; nullopt keeps the file's
  std::optional<tensor::DType>
      rounded_to;  ///< weights and inputs lose what this dtype cannot hold before they get `dtype`
  TapDepth taps = TapDepth::modules;
  Fp32Precision fp32_precision = Fp32Precision::ieee;  ///< matmul and convolution, both sides
  Sdpa sdpa = Sdpa::default_choice;
  Determinism deterministic = Determinism::off;
  int threads = 0;         ///< intra-op CPU threads; 0 leaves the library's choice
  std::uint64_t seed = 0;  ///< of generated inputs and of the model's own random ops
};

[[nodiscard]] std::string to_string(Fp32Precision value);
[[nodiscard]] std::string to_string(Sdpa value);
[[nodiscard]] std::string to_string(TapDepth value);
[[nodiscard]] std::string to_string(Determinism value);

}  // namespace parity::run

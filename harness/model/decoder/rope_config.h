// How a config.json states rotary position embeddings, in both spellings: `rope_theta` beside
// `rope_scaling`, and `rope_parameters`. Refuses the kinds of scaling that depend on the input's
// length.
#pragma once

#include <cstdint>

namespace parity::model {

class ConfigFields;

enum class RopeKind : std::uint8_t { plain, linear, llama3 };

/// Fields below `factor` are those of kind llama3 alone.
struct RopeConfig {
  RopeKind kind = RopeKind::plain;
  double theta = 10000.0;
  double factor = 1.0;
  double low_frequency_factor = 1.0;
  double high_frequency_factor = 4.0;
  std::int64_t original_max_positions = 0;
};

/// Throws Error(model) with the key for a kind that is not supported or a field that is missing or
/// mistyped.
[[nodiscard]] RopeConfig read_rope_config(const ConfigFields& fields, std::int64_t max_positions);

}  // namespace parity::model

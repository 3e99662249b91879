// Rotary position settings of a config.json, brought from their two spellings to one.
#include "model/decoder/rope_config.h"

#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/decoder/config_fields.h"

namespace parity::model {
namespace {

/// The dictionary in use: the library lets a `rope_scaling` with content win over
/// `rope_parameters`.
std::optional<const char*> rope_dictionary(const ConfigFields& fields) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (fields.has(key) && !(fields.at(key).is_object() && fields.at(key).empty())) {
      return key;
    }
  }
  return std::nullopt;
}

RopeKind rope_kind(const ConfigFields& rope) {
  const char* key = rope.has("rope_type") ? "rope_type" : "type";
  const std::string kind = rope.text_or(key, "default");
  if (kind == "default") {
    return RopeKind::plain;
  }
  if (kind == "linear") {
    return RopeKind::linear;
  }
  if (kind == "llama3") {
    return RopeKind::llama3;
  }
  rope.refuse(key,
              fmt::format("is \"{}\"; the built-in decoder has default, linear and llama3", kind));
}

/// Dictionaries per layer type belong to other architectures, which rotate each type of layer its
/// own way.
void refuse_nested(const ConfigFields& fields, const char* key) {
  for (const auto& [name, value] : fields.at(key).items()) {
    if (value.is_object()) {
      fields.refuse(
          key, fmt::format("has settings of its own for '{}'; one set for all layers is supported",
                           name));
    }
  }
}

void refuse_partial_rotation(const ConfigFields& fields) {
  const auto factor = fields.optional_positive("partial_rotary_factor");
  if (factor && *factor != 1.0) {
    fields.refuse(
        "partial_rotary_factor",
        fmt::format("is {}; these architectures rotate the whole head, so only 1.0 is possible",
                    *factor));
  }
}

void read_llama3(const ConfigFields& fields, const ConfigFields& rope, std::int64_t max_positions,
                 RopeConfig& out) {
  out.low_frequency_factor = rope.positive("low_freq_factor");
  out.high_frequency_factor = rope.positive("high_freq_factor");
  if (!(out.high_frequency_factor > out.low_frequency_factor)) {
    rope.refuse("high_freq_factor",
                fmt::format("is {} but must be above low_freq_factor, which is {}",
                            out.high_frequency_factor, out.low_frequency_factor));
  }
  const char* original = "original_max_position_embeddings";
  const auto inside = rope.optional_size(original);
  out.original_max_positions =
      fields.optional_size(original).value_or(inside.value_or(max_positions));
}

}  // namespace

RopeConfig read_rope_config(const ConfigFields& fields, std::int64_t max_positions) {
  RopeConfig out;
  out.theta = fields.optional_positive("rope_theta").value_or(out.theta);
  refuse_partial_rotation(fields);
  const auto key = rope_dictionary(fields);
  if (!key) {
    return out;
  }
  const ConfigFields rope = fields.object(*key);
  refuse_nested(fields, *key);
  refuse_partial_rotation(rope);
  out.kind = rope_kind(rope);
  out.theta = rope.optional_positive("rope_theta").value_or(out.theta);
  if (out.kind != RopeKind::plain) {
    out.factor = rope.positive("factor");
  }
  if (out.kind == RopeKind::llama3) {
    read_llama3(fields, rope, max_positions, out);
  }
  return out;
}

}  // namespace parity::model

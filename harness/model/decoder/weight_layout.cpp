// Parameter names and shapes of the five architectures, and their search in a state_dict.
#include "model/decoder/weight_layout.h"

#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "error/error.h"

namespace parity::model {
namespace {

constexpr std::string_view kOutputWeight = "lm_head.weight";

bool is_gpt2(const DecoderConfig& config) { return config.architecture == Architecture::gpt2; }

std::string_view prefix_of(const DecoderConfig& config) {
  return is_gpt2(config) ? "transformer." : "model.";
}

std::string embedding_name(const DecoderConfig& config) {
  return is_gpt2(config) ? "transformer.wte.weight" : "model.embed_tokens.weight";
}

class ParameterList {
 public:
  void add(const std::string& name, tensor::Shape shape) {
    list_.push_back({name, std::move(shape)});
  }
  void matrix(const std::string& path, tensor::Shape shape, std::int64_t outputs, Part bias) {
    add(path + ".weight", std::move(shape));
    if (bias == Part::present) {
      add(path + ".bias", {outputs});
    }
  }
  /// torch.nn.Linear keeps [outputs, inputs].
  void linear(const std::string& path, std::int64_t inputs, std::int64_t outputs, Part bias) {
    matrix(path, {outputs, inputs}, outputs, bias);
  }
  /// gpt2's Conv1D keeps [inputs, outputs].
  void conv1d(const std::string& path, std::int64_t inputs, std::int64_t outputs) {
    matrix(path, {inputs, outputs}, outputs, Part::present);
  }
  void norm(const std::string& path, std::int64_t size, Part bias) {
    matrix(path, {size}, size, bias);
  }

  std::vector<Parameter> take() { return std::move(list_); }

 private:
  std::vector<Parameter> list_;
};

void add_gpt2(const DecoderConfig& config, ParameterList& list) {
  const std::int64_t hidden = config.hidden_size;
  list.add("transformer.wte.weight", {config.vocabulary, hidden});
  list.add("transformer.wpe.weight", {config.max_positions, hidden});
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string path = fmt::format("transformer.h.{}", layer);
    list.norm(path + ".ln_1", hidden, Part::present);
    list.conv1d(path + ".attn.c_attn", hidden, 3 * hidden);
    list.conv1d(path + ".attn.c_proj", hidden, hidden);
    list.norm(path + ".ln_2", hidden, Part::present);
    list.conv1d(path + ".mlp.c_fc", hidden, config.intermediate_size);
    list.conv1d(path + ".mlp.c_proj", config.intermediate_size, hidden);
  }
  list.norm("transformer.ln_f", hidden, Part::present);
}

void add_llama_like(const DecoderConfig& config, ParameterList& list) {
  const std::int64_t hidden = config.hidden_size;
  const std::int64_t queries = config.heads * config.head_dim;
  const std::int64_t keys = config.key_value_heads * config.head_dim;
  list.add("model.embed_tokens.weight", {config.vocabulary, hidden});
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    const std::string path = fmt::format("model.layers.{}", layer);
    list.linear(path + ".self_attn.q_proj", hidden, queries, config.query_key_value_bias);
    list.linear(path + ".self_attn.k_proj", hidden, keys, config.query_key_value_bias);
    list.linear(path + ".self_attn.v_proj", hidden, keys, config.query_key_value_bias);
    list.linear(path + ".self_attn.o_proj", queries, hidden, config.attention_output_bias);
    if (config.query_key_norm == Part::present) {
      list.norm(path + ".self_attn.q_norm", config.head_dim, Part::absent);
      list.norm(path + ".self_attn.k_norm", config.head_dim, Part::absent);
    }
    list.linear(path + ".mlp.gate_proj", hidden, config.intermediate_size, config.mlp_bias);
    list.linear(path + ".mlp.up_proj", hidden, config.intermediate_size, config.mlp_bias);
    list.linear(path + ".mlp.down_proj", config.intermediate_size, hidden, config.mlp_bias);
    list.norm(path + ".input_layernorm", hidden, Part::absent);
    list.norm(path + ".post_attention_layernorm", hidden, Part::absent);
  }
  list.norm("model.norm", hidden, Part::absent);
}

std::string full_name(const DecoderConfig& config, const std::string& stored) {
  const std::string_view prefix = prefix_of(config);
  return stored == kOutputWeight || stored.starts_with(prefix) ? stored
                                                               : std::string(prefix) + stored;
}

/// Constants that older versions of the library saved beside the weights.
bool is_buffer(const DecoderConfig& config, std::string_view name) {
  return is_gpt2(config) ? name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias")
                         : name.ends_with("rotary_emb.inv_freq");
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() <= kMost ? text : fmt::format("{} and {} more", text, names.size() - kMost);
}

struct Misfits {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
  std::vector<std::string> misshaped;
};

void throw_if_any(const Misfits& misfits) {
  std::string text;
  const auto append = [&text](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) {
      text +=
          fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", names.size(), what, some_of(names));
    }
  };
  append("missing", misfits.missing);
  append("unexpected", misfits.unexpected);
  append("of another shape", misfits.misshaped);
  if (!text.empty()) {
    throw Error(
        ErrorKind::model,
        fmt::format(
            "the weights do not fit the config: {}; pass the config.json of this very model",
            text));
  }
}

/// Full names in the file to positions; buffers are noted and left out.
std::map<std::string, std::size_t> index_tensors(const DecoderConfig& config,
                                                 const StateDict& weights,
                                                 std::vector<std::string>& notes) {
  std::map<std::string, std::size_t> index;
  std::vector<std::string> buffers;
  for (std::size_t i = 0; i < weights.tensors.size(); ++i) {
    const std::string& stored = weights.tensors[i].name;
    const std::string name = full_name(config, stored);
    if (is_buffer(config, name)) {
      buffers.push_back(stored);
    } else if (!index.emplace(name, i).second) {
      throw Error(ErrorKind::model,
                  fmt::format("the weights hold both '{}' and '{}', which name one parameter",
                              weights.tensors[index.at(name)].name, stored));
    }
  }
  if (!buffers.empty()) {
    notes.push_back(fmt::format("ignored {} buffers that follow from the config: {}",
                                buffers.size(), some_of(buffers)));
  }
  return index;
}

/// Files of tied models hold the shared weight under either name or under both.
void tie_embeddings(const DecoderConfig& config, std::map<std::string, std::size_t>& index,
                    std::vector<std::string>& notes) {
  if (config.tied_embeddings == Part::absent) {
    return;
  }
  const std::string output(kOutputWeight);
  const std::string embedding = embedding_name(config);
  if (!index.contains(output) && index.contains(embedding)) {
    index[output] = index[embedding];
  } else if (!index.contains(embedding) && index.contains(output)) {
    index[embedding] = index[output];
    notes.push_back(
        fmt::format("{} is taken from {}, to which the config ties it", embedding, output));
  }
}

}  // namespace

std::vector<Parameter> parameters_of(const DecoderConfig& config) {
  ParameterList list;
  if (is_gpt2(config)) {
    add_gpt2(config, list);
  } else {
    add_llama_like(config, list);
  }
  list.add(std::string(kOutputWeight), {config.vocabulary, config.hidden_size});
  return list.take();
}

WeightBinding bind_weights(const DecoderConfig& config, const StateDict& weights) {
  WeightBinding binding;
  binding.tensors = index_tensors(config, weights, binding.notes);
  tie_embeddings(config, binding.tensors, binding.notes);

  Misfits misfits;
  std::set<std::string> known;
  std::set<std::size_t> counted;
  for (const Parameter& parameter : parameters_of(config)) {
    known.insert(parameter.name);
    const auto found = binding.tensors.find(parameter.name);
    if (found == binding.tensors.end()) {
      misfits.missing.push_back(parameter.name);
      continue;
    }
    const StoredTensor& stored = weights.tensors[found->second];
    if (stored.shape != parameter.shape) {
      misfits.misshaped.push_back(fmt::format("{} is {}, the config asks for {}", stored.name,
                                              tensor::to_string(stored.shape),
                                              tensor::to_string(parameter.shape)));
    }
    if (counted.insert(found->second).second) {
      binding.parameter_count += tensor::element_count(stored.shape);
    }
  }
  for (const auto& [name, position] : binding.tensors) {
    if (!known.contains(name)) {
      misfits.unexpected.push_back(weights.tensors[position].name);
    }
  }
  throw_if_any(misfits);
  return binding;
}

tensor::DType run_dtype(const StateDict& weights, const WeightBinding& binding,
                        std::optional<tensor::DType> wanted) {
  const StoredTensor* first = nullptr;
  for (const auto& [name, position] : binding.tensors) {
    const StoredTensor& stored = weights.tensors[position];
    if (!tensor::is_floating(stored.dtype) || tensor::size_bytes(stored.dtype) < 2) {
      throw Error(
          ErrorKind::model,
          fmt::format(
              "weight {} is {}; the built-in decoder runs float64, float32, float16 and bfloat16 "
              "weights; convert it before",
              stored.name, tensor::name(stored.dtype)));
    }
    if (first == nullptr) {
      first = &stored;
    } else if (!wanted && stored.dtype != first->dtype) {
      throw Error(
          ErrorKind::model,
          fmt::format("weights {} ({}) and {} ({}) differ in dtype; choose the one to run in "
                      "with --dtype",
                      first->name, tensor::name(first->dtype), stored.name,
                      tensor::name(stored.dtype)));
    }
  }
  return wanted.value_or(first == nullptr ? tensor::DType::float32 : first->dtype);
}

}  // namespace parity::model

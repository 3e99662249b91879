// Bytes are those that the device holds: a weight that two parts share is on it twice.
#include "model/decoder/weight_parts.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "error/error.h"

namespace parity::model {
namespace {

std::string_view layer_prefix(const DecoderConfig& config) {
  return config.architecture == Architecture::gpt2 ? "transformer.h." : "model.layers.";
}

bool is_embedding(std::string_view name) {
  return name == "model.embed_tokens.weight" || name == "transformer.wte.weight" ||
         name == "transformer.wpe.weight";
}

/// Place of the part that holds the parameter.
std::size_t part_of(const DecoderConfig& config, std::string_view name) {
  const auto layers = static_cast<std::size_t>(config.layers);
  const std::string_view prefix = layer_prefix(config);
  if (!name.starts_with(prefix)) return is_embedding(name) ? 0 : layers + 1;
  std::size_t layer = 0;
  const std::string_view rest = name.substr(prefix.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), layer);
  PARITY_CHECK(layer < layers);
  return layer + 1;
}

std::uint64_t elements_of(const tensor::Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<std::uint64_t>(size);
  return elements;
}

/// What two parts that follow each other take at most, from the one at `first` on; behind the last
/// comes that one again.
std::uint64_t largest_pair(const std::vector<WeightPart>& parts,
                           const std::vector<std::size_t>& here, std::size_t first) {
  std::uint64_t largest = 0;
  for (std::size_t i = first; i < here.size(); ++i) {
    const std::size_t next = i + 1 < here.size() ? i + 1 : first;
    largest = std::max(largest, parts[here[i]].size_bytes + parts[here[next]].size_bytes);
  }
  return largest;
}

/// `here`: the parts of one device, in order.
void keep_first(const std::vector<WeightPart>& parts, const std::vector<std::size_t>& here,
                std::uint64_t budget_bytes, std::vector<Stay>& stays) {
  std::uint64_t all = 0;
  for (const std::size_t part : here) all += parts[part].size_bytes;
  const std::uint64_t least = std::min(all, largest_pair(parts, here, 0));
  if (budget_bytes < least) {
    throw Error(ErrorKind::usage,
                fmt::format("--stream-weights={}B is too little: two layers of this model take "
                            "{}B; give that much, or no size",
                            budget_bytes, least));
  }
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    kept += parts[here[i]].size_bytes;
    if (all > budget_bytes && kept + largest_pair(parts, here, i + 1) > budget_bytes) return;
    stays[here[i]] = Stay::resident;
  }
}

}  // namespace

std::vector<WeightPart> weight_parts(const DecoderConfig& config, const StateDict& weights,
                                     const WeightBinding& binding, tensor::DType dtype) {
  std::vector<WeightPart> parts(static_cast<std::size_t>(config.layers) + 2);
  for (const auto& [name, position] : binding.tensors) {
    WeightPart& part = parts[part_of(config, name)];
    part.names.push_back(name);
    part.size_bytes += elements_of(weights.tensors[position].shape) * tensor::size_bytes(dtype);
  }
  return parts;
}

std::vector<std::size_t> spread_over(std::size_t devices, const std::vector<WeightPart>& parts) {
  const std::size_t layers = parts.size() - 2;
  if (devices > layers) {
    throw Error(ErrorKind::usage,
                fmt::format("--devices names {} devices for a model of {} layer{}; give at most "
                            "one for each layer",
                            devices, layers, layers == 1 ? "" : "s"));
  }
  std::uint64_t all = 0;
  for (const WeightPart& part : parts) all += part.size_bytes;
  std::vector<std::size_t> places;
  std::uint64_t before = 0;
  for (const WeightPart& part : parts) {
    // By the middle of the part, so that one that is cut goes to where more of it would be.
    const double middle = static_cast<double>(before) + static_cast<double>(part.size_bytes) / 2;
    const auto place =
        static_cast<std::size_t>(middle / static_cast<double>(all) * static_cast<double>(devices));
    places.push_back(std::min(place, devices - 1));
    before += part.size_bytes;
  }
  return places;
}

std::vector<Stay> stays_of(const std::vector<WeightPart>& parts,
                           const std::vector<std::size_t>& devices,
                           const run::WeightStreaming& streaming) {
  std::vector<Stay> stays(parts.size(), Stay::streamed);
  const std::size_t count = *std::max_element(devices.begin(), devices.end()) + 1;
  for (std::size_t device = 0; device < count; ++device) {
    std::vector<std::size_t> here;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (devices[part] == device) here.push_back(part);
    }
    if (!here.empty() && streaming.budget_bytes > 0)
      keep_first(parts, here, streaming.budget_bytes, stays);
  }
  return stays;
}

}  // namespace parity::model

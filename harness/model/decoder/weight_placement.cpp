#include "model/decoder/weight_placement.h"

#include <algorithm>
#include <utility>

#include "error/error.h"
#include "model/torch/bridge.h"
#include "model/torch/device.h"

namespace parity::model {
namespace {

std::string megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 500'000) / 1'000'000) + " MB";
}

/// "layers 0 to 15 on cuda:0, 16 to 31 on cuda:1"
std::string spread_text(const std::vector<c10::Device>& parts) {
  std::string text;
  const std::size_t layers = parts.size() - 2;
  for (std::size_t first = 0; first < layers;) {
    std::size_t last = first;
    while (last + 1 < layers && parts[last + 2] == parts[first + 1]) ++last;
    text += (text.empty() ? "layers " : ", ") + std::to_string(first) + " to " +
            std::to_string(last) + " on " + parts[first + 1].str();
    first = last + 1;
  }
  return text;
}

std::string streaming_text(const WeightPlan& plan) {
  std::uint64_t resident_bytes = 0;
  std::uint64_t largest_bytes = 0;
  std::size_t streamed = 0;
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    const std::uint64_t size_bytes = plan.parts[part].size_bytes;
    if (plan.stays[part] == Stay::resident) {
      resident_bytes += size_bytes;
    } else {
      largest_bytes = std::max(largest_bytes, size_bytes);
      ++streamed;
    }
  }
  return "weights are brought to the device part by part: " + std::to_string(streamed) + " of " +
         std::to_string(plan.parts.size()) + " parts, of at most " + megabytes(largest_bytes) +
         ", two at a time; " + megabytes(resident_bytes) + " stay there";
}

}  // namespace

std::vector<c10::Device> devices_of(const run::Settings& settings, const c10::Device& first) {
  if (settings.devices.empty()) return {first};
  // Whoever changes the one and not the other would run where nobody asked for it.
  PARITY_CHECK(settings.devices.front() == settings.device);
  std::vector<c10::Device> devices;
  for (const std::string& name : settings.devices) {
    run::Settings one = settings;
    one.device = name;
    devices.push_back(resolve_device(one));
  }
  return devices;
}

std::string each_once(const std::vector<std::string>& names) {
  std::vector<std::string> seen;
  std::string text;
  for (const std::string& name : names) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    text.append(seen.empty() ? "" : " and ").append(name);
    seen.push_back(name);
  }
  return text;
}

PlacedWeights place_weights(const DecoderConfig& config, const StateDict& weights,
                            const WeightBinding& binding, tensor::DType dtype,
                            const run::Settings& settings, const c10::Device& first) {
  WeightPlan plan;
  plan.weights = weights;
  plan.binding = binding;
  plan.cast = cast_of(settings);
  plan.cast.dtype = scalar_type_of(dtype);
  plan.parts = weight_parts(config, weights, binding, dtype);
  const std::vector<c10::Device> all = devices_of(settings, first);
  const std::vector<std::size_t> places = spread_over(all.size(), plan.parts);
  for (const std::size_t place : places) plan.devices.push_back(all[place]);
  PlacedWeights placed{nullptr, {plan.devices.front(), {}}, {}};
  placed.devices.layers.assign(plan.devices.begin() + 1, plan.devices.end() - 1);
  if (all.size() > 1) placed.notes.push_back(spread_text(plan.devices));
  if (!settings.streaming) {
    placed.weights = resident_weights(plan);
    return placed;
  }
  // The size is of a device's memory; on the CPU, where a truth runs, the mapped file is at hand.
  plan.stays =
      stays_of(plan.parts, places, first.is_cpu() ? run::WeightStreaming{} : *settings.streaming);
  placed.notes.push_back(streaming_text(plan));
  placed.weights = streamed_weights(std::move(plan));
  return placed;
}

}  // namespace parity::model

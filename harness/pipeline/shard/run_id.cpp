#include "pipeline/shard/run_id.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "pipeline/record/field_digest.h"
#include "text_file/text_file.h"

namespace parity::pipeline {
namespace {

std::string dtype_name(const std::optional<tensor::DType>& dtype) {
  return dtype ? std::string(tensor::name(*dtype)) : "keep";
}

/// Each with its length in front, so that no two lists read the same.
std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += std::to_string(text.size()) + ":" + text + " ";
  return list;
}

std::string library_names(const std::vector<std::filesystem::path>& libraries) {
  std::vector<std::string> names;
  for (const std::filesystem::path& library : libraries)
    names.push_back(library.filename().string());
  return listed(names);
}

/// Of the file's bytes: its name says nothing about the architecture in it.
std::string config_digest(const std::filesystem::path& config) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 26U;
  static constexpr text_file::Kind kConfig = {"config", kLargest, "64 MiB",
                                              "pass the model's config.json"};
  if (config.empty()) return {};
  const std::string text = text_file::read(config, kConfig);
  return tensor::to_hex(tensor::digest_of(std::as_bytes(std::span(text))));
}

}  // namespace

std::vector<run::Flag> run_flags(const RecordRequest& request) {
  const run::Settings& settings = request.settings;
  return {
      {"--dtype", dtype_name(settings.dtype)},
      {"--taps", run::to_string(settings.taps)},
      {"--fp32-precision", run::to_string(settings.fp32_precision)},
      {"--sdpa", run::to_string(settings.sdpa)},
      {"--deterministic", run::to_string(settings.deterministic)},
      {"--threads", std::to_string(settings.threads)},
      {"--seed", std::to_string(settings.seed)},
      {"--config", config_digest(request.source.config)},
      {"--state-key", request.source.state_key},
      {"--method", request.source.method},
      {"--library", library_names(request.source.libraries)},
      {"--layers", listed(request.taps.layers)},
      {"--skip", listed(request.taps.skip)},
      {"--store",
       std::string(run::name(request.store.mode)) + ":" + std::to_string(request.store.rows)},
      {"--truth", request.truth.dtype ? dtype_name(request.truth.dtype) : ""},
      {"--truth-device", request.truth.device == TruthDevice::cpu ? "cpu" : "same"},
      {"--repeat", std::to_string(request.repeats)},
      {"--decode", std::to_string(request.decode_steps)},
      {"--no-probes", request.probing == run::Probing::on ? "" : "given"},
      {"--compress", request.compression ? run::to_string(*request.compression) : "none"},
  };
}

tensor::Digest run_id(const RecordRequest& request, const run::ModelDescription& model,
                      const EarlyInputs& inputs) {
  FieldDigest fields;
  fields.add("parity run 2");
  fields.add(std::string_view(model.kind));
  fields.add(tensor::to_hex(model.all_weights));
  for (const run::Flag& flag : run_flags(request)) {
    fields.add(std::string_view(flag.name));
    fields.add(std::string_view(flag.value));
  }
  fields.add(std::to_string(request.cases.size()));
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    fields.add(std::string_view(request.cases[i].name));
    fields.add(request.cases[i].need == Need::required ? "required" : "optional");
    fields.add(inputs[i].value());
  }
  return fields.finish();
}

}  // namespace parity::pipeline

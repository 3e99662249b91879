#include "pipeline/shard/run_id.h"

#include <string>

#include "pipeline/record/field_digest.h"

namespace parity::pipeline {
namespace {

void add_texts(FieldDigest& fields, const std::vector<std::string>& texts) {
  fields.add(std::to_string(texts.size()));
  for (const std::string& text : texts) fields.add(std::string_view(text));
}

std::string dtype_name(const std::optional<tensor::DType>& dtype) {
  return dtype ? std::string(tensor::name(*dtype)) : "";
}

void add_settings(FieldDigest& fields, const run::Settings& settings) {
  add_texts(fields, {dtype_name(settings.dtype), run::to_string(settings.taps),
                     run::to_string(settings.fp32_precision), run::to_string(settings.sdpa),
                     run::to_string(settings.deterministic), std::to_string(settings.threads),
                     std::to_string(settings.seed)});
}

void add_source(FieldDigest& fields, const model::Source& source) {
  std::vector<std::string> texts = {source.state_key, source.method};
  for (const std::filesystem::path& library : source.libraries)
    texts.push_back(library.filename().string());
  add_texts(fields, texts);
}

void add_choices(FieldDigest& fields, const RecordRequest& request) {
  add_texts(fields, request.taps.layers);
  add_texts(fields, request.taps.skip);
  add_texts(fields, {std::string(run::name(request.store.mode)), std::to_string(request.store.rows),
                     dtype_name(request.truth.dtype),
                     request.truth.device == TruthDevice::cpu ? "cpu" : "same",
                     std::to_string(request.repeats), std::to_string(request.decode_steps),
                     request.probing == run::Probing::on ? "probes" : "",
                     std::to_string(request.compression_level.value_or(0))});
}

}  // namespace

tensor::Digest run_id(const RecordRequest& request, const run::ModelDescription& model,
                      const EarlyInputs& inputs) {
  FieldDigest fields;
  fields.add("parity run 1");
  add_texts(fields, {model.kind, tensor::to_hex(model.all_weights)});
  add_source(fields, request.source);
  add_settings(fields, request.settings);
  add_choices(fields, request);
  fields.add(std::to_string(request.cases.size()));
  for (std::size_t i = 0; i < request.cases.size(); ++i) {
    fields.add(std::string_view(request.cases[i].name));
    fields.add(request.cases[i].need == Need::required ? "required" : "optional");
    fields.add(inputs[i].value());
  }
  return fields.finish();
}

}  // namespace parity::pipeline

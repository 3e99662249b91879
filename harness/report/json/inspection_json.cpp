// The inspection of a golden as JSON, schema "parity-inspection/1".
#include "report/data/inspection.h"
#include "report/json/json_number.h"
#include "report/json/schemas.h"
#include "tensor/digest.h"

namespace parity::report {
namespace {

Json values_json(const TapValues& values) {
  Json first = Json::array();
  for (const double value : values.first) first.push_back(json_number(value));
  return {{"finite", values.finite},
          {"nan", values.nan},
          {"inf", values.inf},
          {"min", json_number(values.min)},
          {"max", json_number(values.max)},
          {"mean", json_number(values.mean)},
          {"rms", json_number(values.rms)},
          {"first", std::move(first)}};
}

Json tap_json(const InspectedTap& tap) {
  Json json = {{"tap", run::to_string(tap.record.id)},
               {"kind", run::name(tap.record.id.kind)},
               {"dtype", tensor::name(tap.record.dtype)},
               {"shape", tap.record.shape},
               {"stored", run::name(tap.record.mode)},
               {"rows", tap.record.rows},
               {"stored_bytes", tap.stored_bytes},
               {"digest", tensor::to_hex(tap.record.digest)},
               {"logits", tap.record.role == run::Role::logits},
               {"values", nullptr}};
  if (tap.values) json["values"] = values_json(*tap.values);
  return json;
}

Json case_json(const InspectedCase& one) {
  Json taps = Json::array();
  for (const InspectedTap& tap : one.taps) taps.push_back(tap_json(tap));
  Json skipped = Json::array();
  for (const run::SkippedTap& tap : one.skipped) {
    skipped.push_back({{"tap", run::to_string(tap.id)}, {"reason", tap.reason}});
  }
  Json noise = nullptr;
  if (one.noise) {
    Json differing = Json::array();
    for (const run::TapId& tap : one.noise->differing) differing.push_back(run::to_string(tap));
    noise = {{"repeats", one.noise->repeats}, {"differing", std::move(differing)}};
  }
  Json truth = nullptr;
  if (one.truth)
    truth = {{"dtype", one.truth->dtype}, {"taps", one.truth->taps}, {"notes", one.truth->notes}};
  Json decode = nullptr;
  if (one.decode) decode = {{"steps", one.decode->steps}, {"rows", one.decode->rows}};
  return {{"name", one.name},          {"inputs", one.inputs},
          {"taps", std::move(taps)},   {"skipped", std::move(skipped)},
          {"notes", one.notes},        {"noise", std::move(noise)},
          {"truth", std::move(truth)}, {"decode", std::move(decode)}};
}

Json model_json(const run::ModelDescription& model) {
  Json weights = Json::array();
  for (const run::WeightDigest& weight : model.weights) {
    weights.push_back({{"name", weight.name},
                       {"dtype", tensor::name(weight.dtype)},
                       {"shape", weight.shape},
                       {"digest", tensor::to_hex(weight.digest)}});
  }
  return {{"file", model.file_name},
          {"kind", model.kind},
          {"parameters", model.parameter_count},
          {"digest", tensor::to_hex(model.all_weights)},
          {"weights", std::move(weights)}};
}

}  // namespace

std::string to_json(const Inspection& inspection) {
  Json provenance = Json::object();
  for (const auto& [key, value] : inspection.header.provenance.facts()) provenance[key] = value;
  Json cases = Json::array();
  for (const InspectedCase& one : inspection.cases) cases.push_back(case_json(one));
  const Json document = {{"schema", kInspectionSchema},
                         {"file", inspection.file},
                         {"file_bytes", inspection.file_bytes},
                         {"model", model_json(inspection.header.model)},
                         {"provenance", std::move(provenance)},
                         {"notes", inspection.header.notes},
                         {"cases", std::move(cases)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parity::report

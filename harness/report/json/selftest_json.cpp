// What a selftest found as JSON, schema "parity-selftest/1".
#include "report/data/selftest.h"
#include "report/json/json_number.h"
#include "report/json/schemas.h"

namespace parity::report {
namespace {

Json place_json(const FaultPlace& place) {
  return {{"case", place.case_name.empty() ? Json(nullptr) : Json(place.case_name)},
          {"tap", place.tap.empty() ? Json(nullptr) : Json(place.tap)},
          {"rule", rule_json(place.rule)},
          {"said", place.said}};
}

Json sized_json(const FaultPlace& place) {
  Json json = place_json(place);
  json["nrmse"] = json_number(place.nrmse);
  json["max_error_over_rms"] = json_number(place.max_error_over_rms);
  return json;
}

Json control_json(const ControlResult& control) {
  Json red = Json::array();
  for (const FaultPlace& place : control.red) red.push_back(place_json(place));
  return {{"name", control.name},
          {"text", control.text},
          {"runs", control.runs},
          {"green", control.green},
          {"red", std::move(red)}};
}

Json fault_json(const FaultResult& fault) {
  Json missed = Json::array();
  for (const FaultPlace& place : fault.missed) missed.push_back(sized_json(place));
  Json not_injected = Json::array();
  for (const NotInjected& each : fault.not_injected) {
    not_injected.push_back({{"reason", each.reason},
                            {"places", each.taps},
                            {"case", each.case_name},
                            {"tap", each.tap.empty() ? Json(nullptr) : Json(each.tap)}});
  }
  return {{"name", fault.name},
          {"text", fault.text},
          {"kind", fault.kind == FaultKind::values ? "values" : "structure"},
          {"injected", fault.injected},
          {"seen", fault.seen},
          {"gross", fault.gross},
          {"gross_seen", fault.gross_seen},
          {"missed", std::move(missed)},
          {"largest_small_miss", fault.largest_miss ? sized_json(*fault.largest_miss) : Json()},
          {"not_injected", std::move(not_injected)}};
}

Json reach_json(const Reach& reach) {
  Json json = {{"seen_from", reach.seen_from ? json_number(*reach.seen_from) : Json()}};
  json.update(place_json(reach.blindest));
  return json;
}

Json sensitivity_json(const Sensitivity& sensitivity) {
  return {{"layers", sensitivity.layers},
          {"taps", sensitivity.taps},
          {"factor", reach_json(sensitivity.factor)},
          {"spike", reach_json(sensitivity.spike)}};
}

}  // namespace

std::string to_json(const Selftest& selftest) {
  Json controls = Json::array();
  for (const ControlResult& each : selftest.controls) controls.push_back(control_json(each));
  Json faults = Json::array();
  for (const FaultResult& each : selftest.faults) faults.push_back(fault_json(each));
  Json sensitivity = Json::array();
  for (const Sensitivity& each : selftest.sensitivity)
    sensitivity.push_back(sensitivity_json(each));
  const Json document = {{"schema", kSelftestSchema},
                         {"verdict", selftest.result == Result::pass ? "pass" : "fail"},
                         {"exit_code", selftest.exit_code},
                         {"reasons", selftest.reasons},
                         {"golden", selftest.golden},
                         {"model", {{"file", selftest.model_file}, {"kind", selftest.model_kind}}},
                         {"policy", selftest.policy_name},
                         {"strict", selftest.strictness == run::Strictness::strict},
                         {"cases", selftest.cases},
                         {"taps", selftest.taps},
                         {"controls", std::move(controls)},
                         {"faults", std::move(faults)},
                         {"sensitivity", std::move(sensitivity)},
                         {"notes", selftest.notes},
                         {"repro", selftest.repro}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parity::report

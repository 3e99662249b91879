// The summary of a calibration as JSON, schema "parity-calibration/1".
#include "report/data/calibration.h"
#include "report/json/json_number.h"
#include "report/json/schemas.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

Json bound_json(const CalibratedBound& bound) {
  Json variations = Json::object();
  for (const auto& [variation, worst] : bound.variations)
    variations[variation] = json_number(worst);
  Json worst = nullptr;
  if (!bound.run.empty()) {
    worst = {{"variation", bound.variation},
             {"run", clean(bound.run)},
             {"case", clean(bound.case_name)},
             {"tap", clean(bound.tap)}};
  }
  Json built_in = nullptr;
  if (bound.built_in) {
    built_in = {{"warn", json_number(bound.built_in->first)},
                {"fail", json_number(bound.built_in->second)}};
  }
  return {{"metric", bound.metric},          {"measured", json_number(bound.measured)},
          {"worst", std::move(worst)},       {"variations", std::move(variations)},
          {"warn", json_number(bound.warn)}, {"fail", json_number(bound.fail)},
          {"built_in", std::move(built_in)}, {"wider_than_built_in", bound.is_wider},
          {"remark", bound.remark}};
}

Json rules_json(const std::vector<CalibratedRule>& rules) {
  Json list = Json::array();
  for (const CalibratedRule& rule : rules) {
    Json layers = Json::array();
    for (const std::string& glob : rule.layers) layers.push_back(clean(glob));
    Json bounds = Json::array();
    for (const CalibratedBound& bound : rule.bounds) bounds.push_back(bound_json(bound));
    Json left_out = Json::object();
    for (const auto& [metric, worst] : rule.left_out) left_out[metric] = json_number(worst);
    const auto or_null = [](const std::string& text) {
      return text.empty() ? Json(nullptr) : Json(text);
    };
    list.push_back({{"layers", std::move(layers)},
                    {"kind", or_null(rule.kind)},
                    {"dtype", or_null(rule.dtype)},
                    {"taps", rule.taps},
                    {"runs", rule.runs},
                    {"headroom", json_number(rule.headroom)},
                    {"truth_factor", rule.truth_factor ? Json(*rule.truth_factor) : Json(nullptr)},
                    {"bounds", std::move(bounds)},
                    {"left_out", std::move(left_out)}});
  }
  return list;
}

Json places_json(const std::vector<CalibrationPlace>& places) {
  Json list = Json::array();
  for (const CalibrationPlace& place : places) {
    list.push_back(
        {{"case", clean(place.case_name)}, {"tap", clean(place.tap)}, {"why", clean(place.why)}});
  }
  return list;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) list.push_back(clean(text));
  return list;
}

}  // namespace

std::string to_json(const Calibration& calibration) {
  Json runs = Json::array();
  for (const CalibrationRun& run : calibration.runs) {
    runs.push_back({{"variation", run.variation},
                    {"label", clean(run.label)},
                    {"made_on", clean(run.made_on)}});
  }
  const Json json = {{"schema", kCalibrationSchema},
                     {"policy", clean(calibration.policy)},
                     {"reference", clean(calibration.reference)},
                     {"made_on", clean(calibration.made_on)},
                     {"command", clean(calibration.command)},
                     {"runs", std::move(runs)},
                     {"not_run", texts_json(calibration.not_run)},
                     {"notes", texts_json(calibration.notes)},
                     {"rules", rules_json(calibration.rules)},
                     {"logits", rules_json(calibration.logits)},
                     {"untestable", places_json(calibration.untestable)},
                     {"beyond", places_json(calibration.beyond)}};
  return json.dump(2) + '\n';
}

}  // namespace parity::report

// What a refreshed golden changes, as JSON.
#include "report/data/blessing.h"
#include "report/json/json_number.h"
#include "report/json/json_tap.h"
#include "report/json/schemas.h"

namespace parity::report {
namespace {

Json place(const Place& place) {
  Json object = {{"case", place.case_name}};
  add_id(object, place.tap);
  return object;
}

Json file(const BlessedFile& file) {
  return {{"file", file.file}, {"model_file", file.model_file}, {"model_kind", file.model_kind}};
}

Json environment(const std::vector<run::Difference>& differences) {
  Json array = Json::array();
  for (const run::Difference& each : differences)
    array.push_back({{"key", each.key}, {"old", each.reference}, {"new", each.candidate}});
  return array;
}

Json weights(const std::vector<WeightChange>& changes) {
  Json array = Json::array();
  for (const WeightChange& change : changes) {
    array.push_back({{"what", change.what},
                     {"names", change.names},
                     {"count", change.count},
                     {"first", change.first}});
  }
  return array;
}

Json cases(const std::vector<CaseChange>& changes) {
  Json array = Json::array();
  for (const CaseChange& change : changes) {
    array.push_back({{"what", change.what},
                     {"case", change.case_name},
                     {"old", change.before},
                     {"new", change.after}});
  }
  return array;
}

Json taps(const std::vector<TapChange>& changes) {
  Json array = Json::array();
  for (const TapChange& change : changes) {
    array.push_back({{"what", change.what},
                     {"layers", change.layers},
                     {"taps", change.taps},
                     {"first", place(change.first)},
                     {"old", change.before},
                     {"new", change.after}});
  }
  return array;
}

Json values(const std::vector<ValueChange>& changes) {
  Json array = Json::array();
  for (const ValueChange& change : changes) {
    const bool measured = change.measured > 0;
    Json object = {{"verdict", run::name(change.verdict)},
                   {"layers", change.layers},
                   {"dtype", tensor::name(change.dtype)},
                   {"taps", change.taps},
                   {"measured", change.measured}};
    object["nrmse"] = measured ? json_number(change.nrmse) : Json(nullptr);
    object["nrmse_at"] = measured ? place(change.nrmse_at) : Json(nullptr);
    object["max_ulp"] = measured ? Json(change.max_ulp) : Json(nullptr);
    object["max_ulp_at"] = measured ? place(change.max_ulp_at) : Json(nullptr);
    object["noise_nrmse"] = change.noise_nrmse ? json_number(*change.noise_nrmse) : Json(nullptr);
    object["with_truth"] = change.with_truth;
    object["better"] = change.better;
    object["worse"] = change.worse;
    array.push_back(std::move(object));
  }
  return array;
}

Json logits(const std::vector<LogitsChange>& changes) {
  Json array = Json::array();
  for (const LogitsChange& change : changes) {
    Json object = place(change.place);
    object["verdict"] = run::name(change.verdict);
    object["positions"] = change.positions;
    object["flips"] = change.flips;
    object["decided_flips"] = change.decided_flips;
    object["kl_mean"] = json_number(change.kl_mean);
    object["kl_max"] = json_number(change.kl_max);
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace

std::string to_json(const Blessing& blessing) {
  Json root = {{"schema", kBlessSchema},
               {"exit_code", blessing.exit_code},
               {"reasons", blessing.reasons},
               {"policy", blessing.policy_name},
               {"old", file(blessing.before)},
               {"new", file(blessing.after)},
               {"environment_diff", environment(blessing.environment_diff)},
               {"weights", weights(blessing.weights)},
               {"cases", cases(blessing.cases)},
               {"taps", taps(blessing.taps)},
               {"compared", blessing.compared},
               {"identical", blessing.identical},
               {"values", values(blessing.values)},
               {"logits", logits(blessing.logits)},
               {"changes_entry", blessing.changes_entry},
               {"repro", blessing.repro}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parity::report

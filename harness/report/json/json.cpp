#include "report/json/json.h"

#include <map>

#include "report/json/json_decode.h"
#include "report/json/json_number.h"
#include "report/json/json_tap.h"
#include "report/json/schemas.h"
#include "report/words/environment.h"

namespace parity::report {
namespace {

std::string_view name(Result result) { return result == Result::pass ? "pass" : "fail"; }

Json one_case(const Case& item) {
  Json taps = Json::array();
  for (const Tap& entry : item.taps) taps.push_back(tap_json(entry));
  Json more = Json::array();
  for (std::size_t i = 1; i < item.logits.size(); ++i) more.push_back(logits_json(item.logits[i]));
  Json left_out = Json::array();
  for (const LeftOutTap& tap : item.left_out) left_out.push_back(left_out_json(tap));
  return {{"name", item.name},
          {"verdict", name(item.result)},
          {"notes", item.notes},
          {"taps", std::move(taps)},
          {"logits", item.logits.empty() ? Json(nullptr) : logits_json(item.logits.front())},
          {"more_logits", std::move(more)},
          {"decode", decode_json(item)},
          {"untested_output", text_or_null(item.untested_output)},
          {"recorded_as", recorded_name(item)},
          {"same_run", item.same_run == SameRun::yes},
          {"left_out", std::move(left_out)}};
}

Json side(const Side& side) {
  Json provenance = Json::object();
  for (const auto& [key, value] : side.provenance.facts()) provenance[key] = value;
  return {{"file", text_or_null(side.file)},
          {"provenance", std::move(provenance)},
          {"recording", text_or_null(side.digests.recording)},
          {"inputs", text_or_null(side.digests.inputs)},
          {"weights", text_or_null(side.digests.weights)}};
}

Json differences(const std::vector<run::Difference>& differences) {
  Json array = Json::array();
  for (const run::Difference& difference : differences) {
    array.push_back({{"key", difference.key},
                     {"reference", difference.reference},
                     {"candidate", difference.candidate}});
  }
  return array;
}

Json policy(const Report& report) {
  Json bounds = Json::array();
  for (const BoundText& bound : report.policy_bounds) {
    bounds.push_back({{"scope", bound.scope},
                      {"metric", bound.metric},
                      {"warn", json_number(bound.warn)},
                      {"fail", json_number(bound.fail)},
                      {"origin", bound.origin},
                      {"rule", rule_json(bound.rule)},
                      {"optional", bound.needed == Needed::where_measured}});
  }
  return {{"name", report.policy_name},
          {"digest", text_or_null(report.policy_digest)},
          {"bounds", std::move(bounds)},
          {"not_measured", report.unmeasured_metrics}};
}

Json totals(const Report& report) {
  std::map<run::Verdict, std::uint64_t> counts;
  for (const Case& item : report.cases) {
    for (const Tap& entry : item.taps) ++counts[entry.verdict];
  }
  Json verdicts = Json::object();
  for (const auto& [verdict, count] : counts) verdicts[std::string(run::name(verdict))] = count;
  return {{"taps", report.totals.taps},         {"passed", report.totals.passed},
          {"warned", report.totals.warned},     {"failed", report.totals.failed},
          {"elements", report.totals.elements}, {"bytes", report.totals.bytes},
          {"verdicts", std::move(verdicts)}};
}

Json place(const Place& place) {
  Json object = {{"case", place.case_name}};
  add_id(object, place.tap);
  return object;
}

Json own_error(const OwnError& error) {
  const bool judged = error.not_judged.empty();
  return {{"judged", judged},
          {"reason", error.not_judged},
          {"nrmse", judged ? json_number(error.nrmse) : Json(nullptr)},
          {"explained", judged ? json_number(error.explained) : Json(nullptr)}};
}

Json culprit(const Blame& blame) {
  if (!blame.culprit) return nullptr;
  const OperatorLine& line = blame.operators.at(*blame.culprit);
  return {{"index", *blame.culprit}, {"op", line.name}, {"source", line.source}};
}

Json blame(const Attribution& attribution) {
  Json array = Json::array();
  for (const Blame& entry : attribution.blame) {
    Json operators = Json::array();
    for (const OperatorLine& line : entry.operators)
      operators.push_back(
          {{"op", line.name}, {"source", line.source}, {"own_error", own_error(line.own_error)}});
    Json object = place({entry.case_name, entry.tap});
    object["introduced_nrmse"] = json_number(entry.introduced_nrmse);
    object["max_error_over_rms"] = json_number(entry.max_error_over_rms);
    object["explained_nrmse"] = json_number(entry.explained_nrmse);
    object["explained_max_error_over_rms"] = json_number(entry.explained_max_error_over_rms);
    object["share"] = json_number(entry.share);
    object["operators"] = std::move(operators);
    object["culprit"] = culprit(entry);
    object["operators_finding"] = entry.operators_sentence;
    array.push_back(std::move(object));
  }
  return array;
}

Json attribution(const Attribution& attribution) {
  Json sources = Json::array();
  for (const Source& source : attribution.sources) {
    sources.push_back({{"layers", source.layers},
                       {"taps", source.taps},
                       {"nrmse", json_number(source.nrmse)},
                       {"share", json_number(source.share)}});
  }
  return {{"finding", attribution.finding},
          {"sentence", attribution.sentence},
          {"sources", std::move(sources)}};
}

Json truth_summary(const TruthSummary& summary) {
  return {{"dtype", summary.dtype},
          {"file", summary.file},
          {"worse", summary.worse},
          {"taps", summary.taps},
          {"reference_worse", summary.reference_worse},
          {"candidate_worse", summary.candidate_worse},
          {"sentence", summary.sentence}};
}

Json noise_summary(const NoiseSummary& summary) {
  return {{"repeats", summary.repeats},
          {"taps", summary.taps},
          {"differing", summary.differing},
          {"first", summary.first ? place(*summary.first) : Json(nullptr)},
          {"sentence", summary.sentence}};
}

Json name_map(const NameMapping& mapping) {
  Json rules = Json::array();
  for (const NameMapRule& rule : mapping.rules) {
    rules.push_back({{"line", rule.line},
                     {"kind", rule.kind},
                     {"pattern", rule.pattern},
                     {"names", rule.names},
                     {"taps", rule.taps}});
  }
  Json unmatched = Json::array();
  for (const UnmatchedName& name : mapping.unmatched) {
    unmatched.push_back({{"case", name.case_name},
                         {"candidate", name.candidate},
                         {"golden", text_or_null(name.golden)}});
  }
  Json collisions = Json::array();
  for (const NameCollision& collision : mapping.collisions) {
    collisions.push_back({{"case", collision.case_name},
                          {"golden", collision.golden},
                          {"candidates", collision.candidates}});
  }
  return {{"file", mapping.file},
          {"mapped", mapping.mapped},
          {"reshaped", mapping.reshaped},
          {"rules", std::move(rules)},
          {"unmatched", std::move(unmatched)},
          {"collisions", std::move(collisions)}};
}

Json document(const Report& report) {
  Json root = {{"schema", kReportSchema},
               {"verdict", name(report.result)},
               {"exit_code", report.exit_code},
               {"reasons", report.reasons},
               {"same_device", report.devices == Devices::same},
               {"self_comparison", text_or_null(self_comparison_text(report))},
               {"model", {{"file", report.model_file}, {"kind", report.model_kind}}},
               {"reference", side(report.reference)},
               {"candidate", side(report.candidate)},
               {"environment_diff", differences(report.environment_diff)},
               {"policy", policy(report)}};
  root["first_divergence"] =
      report.first_divergence ? place(*report.first_divergence) : Json(nullptr);
  root["blame"] = Json::array();
  root["attribution"] = nullptr;
  if (report.attribution) {
    root["blame"] = blame(*report.attribution);
    root["attribution"] = attribution(*report.attribution);
  }
  root["truth_summary"] = report.truth ? truth_summary(*report.truth) : Json(nullptr);
  root["noise_summary"] = report.noise ? noise_summary(*report.noise) : Json(nullptr);
  root["name_map"] = report.name_map ? name_map(*report.name_map) : Json(nullptr);
  root["cases"] = Json::array();
  for (const Case& item : report.cases) root["cases"].push_back(one_case(item));
  root["notes"] = report.notes;
  root["totals"] = totals(report);
  root["timing"] = {{"total_s", json_number(report.timing.total_s)},
                    {"compare_s", json_number(report.timing.compare_s)},
                    {"forward_s", json_number(report.timing.forward_s)},
                    {"forced_s", json_number(report.timing.forced_s)}};
  root["repro"] = report.repro;
  root["asked_dtype"] = text_or_null(report.asked_dtype);
  root["truth_file"] = text_or_null(report.truth_file);
  return root;
}

}  // namespace

std::string to_json(const Report& report) {
  // A model may name its layers in any bytes: those that are no UTF-8 become U+FFFD.
  return document(report).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace parity::report

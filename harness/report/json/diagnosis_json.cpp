// Findings about a machine for a program to read.
#include <nlohmann/json.hpp>

#include "report/data/diagnosis.h"
#include "report/json/schemas.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using Json = nlohmann::ordered_json;

Json remedy_json(const run::Remedy& remedy) {
  return {{"words", clean(remedy.words)},
          {"command", remedy.command.empty() ? Json(nullptr) : Json(clean(remedy.command))}};
}

Json finding_json(const run::Finding& finding) {
  Json fix = Json::array();
  for (const run::Remedy& remedy : finding.fix) fix.push_back(remedy_json(remedy));
  return {{"check", finding.check},
          {"level", run::name(finding.level)},
          {"seen", clean(finding.seen)},
          {"why", clean(finding.why)},
          {"fix", std::move(fix)}};
}

}  // namespace

std::string to_json(const run::Diagnosis& diagnosis) {
  Json findings = Json::array();
  Json totals = {{"problem", 0}, {"warning", 0}, {"note", 0}, {"ok", 0}};
  for (const run::Finding& finding : diagnosis.findings) {
    findings.push_back(finding_json(finding));
    Json& total = totals[std::string(run::name(finding.level))];
    total = total.get<int>() + 1;
  }
  Json facts = Json::object();
  for (const auto& [key, value] : diagnosis.facts.facts()) facts[clean(key)] = clean(value);
  const int code = exit_code_of(diagnosis);
  const Json document = {{"schema", kDoctorSchema},
                         {"verdict", code == 0 ? "ready" : "not_ready"},
                         {"exit_code", code},
                         {"totals", std::move(totals)},
                         {"findings", std::move(findings)},
                         {"facts", std::move(facts)}};
  return document.dump(1) + "\n";
}

}  // namespace parity::report

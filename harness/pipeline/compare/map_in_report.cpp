#include "pipeline/compare/map_in_report.h"

#include <algorithm>
#include <utility>

#include "name_map/name_map_file.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::pipeline {
namespace {

/// "a (named b), c, d and 12 more"
std::string listed(const std::vector<report::UnmatchedName>& unmatched) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, unmatched.size()); ++i) {
    names += (i == 0 ? "" : ", ") + unmatched[i].candidate;
    if (!unmatched[i].golden.empty()) names += " (named " + unmatched[i].golden + ")";
  }
  if (unmatched.size() > kShown) names += fmt::format(" and {} more", unmatched.size() - kShown);
  return names;
}

}  // namespace

std::vector<std::string> check_mapped_weights(compare::Reference<run::ModelDescription> reference,
                                              compare::Candidate<run::ModelDescription> candidate,
                                              const name_map::NameMap* map, WeightsRule rule) {
  if (map == nullptr) return check_weights(std::move(reference), std::move(candidate), rule);
  return check_weights(std::move(reference),
                       compare::Candidate{name_map::renamed(*map, std::move(candidate.value))},
                       rule, WeightNames::mapped);
}

report::NameMapping begin_mapping(const name_map::NameMap& map) {
  report::NameMapping mapping;
  mapping.file = map.file;
  for (const name_map::Rule& rule : map.rules) {
    mapping.rules.push_back(
        {rule.line, std::string(name_map::name(rule.kind)), rule.pattern.text(), rule.names, 0});
  }
  return mapping;
}

void add_mapping_notes(report::Report& report) {
  if (!report.name_map) return;
  const report::NameMapping& mapping = *report.name_map;
  std::vector<std::string>& notes = report.notes;
  notes.push_back(
      fmt::format("{} compared with {} of other names, by {}",
                  mapping.mapped == 1 ? "1 tap was" : fmt::format("{} taps were", mapping.mapped),
                  mapping.mapped == 1 ? "one" : "taps", mapping.file));
  if (mapping.reshaped > 0) {
    notes.push_back(fmt::format(
        "{} other dimensions before the last and {} seen in the golden's shape",
        mapping.reshaped == 1 ? "1 of the candidate's taps has"
                              : fmt::format("{} of the candidate's taps have", mapping.reshaped),
        mapping.reshaped == 1 ? "was" : "were"));
  }
  for (const report::NameMapRule& rule : mapping.rules) {
    if (rule.taps > 0) continue;
    notes.push_back(fmt::format("{}:{}: the rule for '{}' matches no tap of the {}", mapping.file,
                                rule.line, rule.pattern,
                                rule.kind == "leave_out" ? "golden" : "candidate"));
  }
  if (!mapping.unmatched.empty()) {
    notes.push_back("taps of the candidate that are none of the golden's: " +
                    listed(mapping.unmatched));
  }
  for (const report::NameCollision& collision : mapping.collisions) {
    notes.push_back(
        fmt::format("{} are all {} of the golden in case {}; only the first was compared",
                    fmt::join(collision.candidates, ", "), collision.golden, collision.case_name));
  }
}

}  // namespace parity::pipeline

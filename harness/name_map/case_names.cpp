#include "name_map/case_names.h"

namespace parity::name_map {

CaseNames::CaseNames(const NameMap* map, const std::vector<run::TapRecord>& golden) : map_(map) {
  if (map == nullptr) return;
  for (const Rule& rule : map->rules) {
    if (side_of(rule.kind) == Side::candidate) continue;
    for (const run::TapRecord& tap : golden) {
      const auto names = named_by(rule, tap.id);
      // The model's own output is what a comparison is for.
      if (names && rule.kind == RuleKind::leave_out && tap.id.kind != run::TapKind::output)
        left_out_.emplace(tap.id, &rule);
      for (std::size_t part = 0; names && part < names->size(); ++part)
        parts_.emplace(names->at(part), Part{&rule, tap.id, part});
    }
  }
}

Named CaseNames::of(const run::TapId& candidate) const {
  if (map_ != nullptr) {
    const auto part = parts_.find(candidate);
    for (const Rule& rule : map_->rules) {
      if (part != parts_.end() && part->second.rule == &rule)
        return {&rule, {part->second.golden}, part->second.part};
      if (side_of(rule.kind) == Side::golden) continue;
      if (auto names = named_by(rule, candidate)) return {&rule, *std::move(names), 0};
    }
  }
  return {nullptr, {candidate}, 0};
}

}  // namespace parity::name_map

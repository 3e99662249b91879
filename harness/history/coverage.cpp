#include "history/coverage.h"

#include <set>

namespace parity::history {
namespace {

/// Whether anything of the place was held against the reference.
bool is_tested(const PlaceResult& result) {
  return result.verdict != run::Verdict::missing && result.verdict != run::Verdict::additional &&
         result.verdict != run::Verdict::untested;
}

std::set<std::string> case_names(const Run& run) {
  std::set<std::string> names;
  for (const CaseResult& item : run.cases) names.insert(item.name);
  return names;
}

std::vector<std::string> cases_without(const Run& run, const std::set<std::string>& others) {
  std::vector<std::string> result;
  for (const CaseResult& item : run.cases) {
    if (others.count(item.name) == 0) result.push_back(item.name);
  }
  return result;
}

/// Tested in `one` and not there at all in `other`, which has the case.
void add_places_without(const std::vector<PlaceResult>& one, const std::vector<PlaceResult>& other,
                        const std::set<std::string>& cases, Of of,
                        std::vector<CoveredPlace>& places) {
  std::set<Place> there;
  for (const PlaceResult& result : other) there.insert(result.place);
  for (const PlaceResult& result : one) {
    if (is_tested(result) && cases.count(result.place.case_name) != 0 &&
        there.count(result.place) == 0)
      places.push_back({result.place, of});
  }
}

}  // namespace

void compare_coverage(const Run& before, const Run& after, NightChanges& changes) {
  const std::set<std::string> old_cases = case_names(before);
  const std::set<std::string> new_cases = case_names(after);
  changes.new_cases = cases_without(after, old_cases);
  changes.gone_cases = cases_without(before, new_cases);
  add_places_without(before.taps, after.taps, new_cases, Of::tap, changes.gone_places);
  add_places_without(before.logits, after.logits, new_cases, Of::logits, changes.gone_places);
  add_places_without(after.taps, before.taps, old_cases, Of::tap, changes.new_places);
  add_places_without(after.logits, before.logits, old_cases, Of::logits, changes.new_places);
}

}  // namespace parity::history

#include "history/windows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "history/spread.h"

namespace parity::history {
namespace {

/// What a night that does not say stands for: what the night before it said, else the first that
/// did.
std::vector<std::string> filled(const std::vector<Run>& runs, std::string Contents::*member) {
  std::string known;
  for (const Run& run : runs) {
    known = run.contents.*member;
    if (!known.empty()) break;
  }
  std::vector<std::string> values;
  for (const Run& run : runs) {
    if (!(run.contents.*member).empty()) known = run.contents.*member;
    values.push_back(known);
  }
  return values;
}

}  // namespace

std::vector<std::size_t> environments_of(const std::vector<Run>& runs) {
  const std::vector<std::string> weights = filled(runs, &Contents::reference_weights);
  const std::vector<std::string> inputs = filled(runs, &Contents::inputs);
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> result;
  for (std::size_t night = 0; night < runs.size(); ++night) {
    const Run& run = runs[night];
    std::string text = run.model + '\0' + weights[night] + '\0' + inputs[night];
    for (const run::Provenance* side : {&run.reference, &run.candidate}) {
      for (const auto& [key, value] : environment_facts(*side)) text += '\0' + key + '\0' + value;
      text += '\0';
    }
    result.push_back(known.emplace(text, known.size()).first->second);
  }
  return result;
}

Window window_of(const std::vector<Run>& runs, const std::vector<std::size_t>& environments,
                 std::size_t night) {
  Window window;
  for (std::size_t i = night; i-- > 0;) {
    if (window.same_environment.size() == kMostNights) break;
    if (runs[i].state != State::judged) continue;
    if (window.any.size() < kMostNights) window.any.push_back(i);
    if (environments[i] == environments[night]) window.same_environment.push_back(i);
  }
  std::reverse(window.same_environment.begin(), window.same_environment.end());
  std::reverse(window.any.begin(), window.any.end());
  return window;
}

std::optional<std::size_t> judged_before(const std::vector<Run>& runs, std::size_t night) {
  for (std::size_t i = night; i-- > 0;) {
    if (runs[i].state == State::judged) return i;
  }
  return std::nullopt;
}

std::vector<std::size_t> nights_needed(const std::vector<Run>& runs, std::size_t told) {
  const std::vector<std::size_t> environments = environments_of(runs);
  std::set<std::size_t> needed;
  if (const auto newest = judged_before(runs, runs.size())) needed.insert(*newest);
  for (std::size_t night = runs.size() - std::min(told, runs.size()); night < runs.size();
       ++night) {
    if (runs[night].state != State::judged) continue;
    needed.insert(night);
    // The judged night before is the newest of any environment.
    const Window window = window_of(runs, environments, night);
    needed.insert(window.same_environment.begin(), window.same_environment.end());
    needed.insert(window.any.begin(), window.any.end());
  }
  return {needed.begin(), needed.end()};
}

}  // namespace parity::history

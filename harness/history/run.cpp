#include "history/run.h"

#include <algorithm>

namespace parity::history {

const char* text(State state) {
  switch (state) {
    case State::judged:
      return "judged";
    case State::not_run:
      return "not run";
    case State::no_judgement:
      return "no judgement";
    case State::infrastructure:
      return "infrastructure";
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> environment_facts(
    const run::Provenance& provenance) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& fact : provenance.facts()) {
    if (fact.first.rfind("run.", 0) != 0 && fact.first.rfind("capture.", 0) != 0)
      facts.push_back(fact);
  }
  std::sort(facts.begin(), facts.end());
  return facts;
}

}  // namespace parity::history

#include "pipeline/record/run_provenance.h"

#include "host/machine.h"

namespace parity::pipeline {
namespace {

constexpr const char* kRandomNumbers = "run.random_numbers";
constexpr const char* kDrawn = "drawn";

}  // namespace

run::Provenance run_provenance(const model::Model& model, const run::Settings& settings,
                               const TapChoice& taps) {
  run::Provenance facts = model.provenance();
  facts.merge(host::machine_facts());
  record_capture(facts, settings, taps);
  if (model.draws_random_numbers()) facts.set(kRandomNumbers, kDrawn);
  return facts;
}

bool drew_random_numbers(const run::Provenance& provenance) {
  return provenance.get(kRandomNumbers) == kDrawn;
}

}  // namespace parity::pipeline

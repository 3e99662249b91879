#include "pipeline/random_numbers.h"

namespace parity::pipeline {
namespace {

constexpr const char* kRandomNumbers = "run.random_numbers";
constexpr const char* kDrawn = "drawn";

}  // namespace

void note_random_numbers(run::Provenance& provenance, const model::Model& model) {
  if (model.draws_random_numbers()) provenance.set(kRandomNumbers, kDrawn);
}

bool drew_random_numbers(const run::Provenance& provenance) {
  return provenance.get(kRandomNumbers) == kDrawn;
}

}  // namespace parity::pipeline

#include "pipeline/record/case_inputs.h"

#include <set>

#include "error/error.h"
#include "model/inputs.h"

namespace parity::pipeline {
namespace {

/// Only a generator of token ids without a size of its own needs to know the model.
bool needs_vocabulary(const std::string& spec) { return spec.find("tokens:") != std::string::npos; }

}  // namespace

void check_cases(const std::vector<CaseInput>& cases) {
  if (cases.empty()) throw Error(ErrorKind::usage, "nothing to run: give at least one --inputs");
  std::set<std::string> names;
  for (const CaseInput& input : cases) {
    if (!names.insert(input.name).second) {
      throw Error(ErrorKind::usage, "two inputs are named '" + input.name +
                                        "': name them apart, as in --inputs a=" + input.spec +
                                        " b=...");
    }
  }
}

EarlyInputs load_early(const std::vector<CaseInput>& cases, std::uint64_t seed,
                       const std::filesystem::path& model) {
  EarlyInputs early;
  for (const CaseInput& input : cases) {
    early.emplace_back();
    if (input.spec == kSampleInputs) {
      early.back() = model::sample_inputs(model);
    } else if (!needs_vocabulary(input.spec)) {
      early.back() = model::load_inputs(input.spec, seed, 0);
    }
  }
  return early;
}

void load_late(EarlyInputs& inputs, const std::vector<CaseInput>& cases, std::uint64_t seed,
               const model::Model& model) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]) inputs[i] = model::load_inputs(cases[i].spec, seed, model.vocabulary());
  }
}

}  // namespace parity::pipeline

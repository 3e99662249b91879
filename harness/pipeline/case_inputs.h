// The inputs of the cases that a command runs: as they were typed, and as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/model.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Whether a model that cannot run a case ends the recording, or the case is left out with a note.
enum class Need : std::uint8_t { required, optional };

/// One case to record: `spec` is a file or a generator, see model/inputs.h.
struct CaseInput {
  std::string name;
  std::string spec;
  Need need = Need::required;
};

/// Throws Error(usage) unless there is a case and every name occurs once.
void check_cases(const std::vector<CaseInput>& cases);

/// By case; nullopt where the model must be known first.
using EarlyInputs = std::vector<std::optional<tensor::Value>>;

/// Before the model is loaded, so that a bad input costs no work.
[[nodiscard]] EarlyInputs load_early(const std::vector<CaseInput>& cases, std::uint64_t seed);

/// Those that are still missing.
void load_late(EarlyInputs& inputs, const std::vector<CaseInput>& cases, std::uint64_t seed,
               const model::Model& model);

}  // namespace parity::pipeline

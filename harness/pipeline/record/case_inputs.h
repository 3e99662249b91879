// The inputs of the cases that a command runs: as they were typed, and as values. What needs the
// model to be read waits for it; nothing here runs one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "error/error.h"
#include "model/model.h"
#include "tensor/value.h"

namespace parity::pipeline {

/// Whether a case that the model says it is not made for ends the recording, or is left out with a
/// note.
enum class Need : std::uint8_t { required, optional };

/// The spec of the inputs that the model's file brings along; what a command runs that is given no
/// inputs.
inline constexpr std::string_view kSampleInputs = "sample";

/// One case to record: `spec` is a file or a generator, see model/inputs.h, or kSampleInputs.
struct CaseInput {
  std::string name;
  std::string spec;
  Need need = Need::required;
};

/// Throws Error(usage) unless there is a case and every name occurs once.
void check_cases(const std::vector<CaseInput>& cases);

/// What `work` returns; of an Error that it throws, the case is named where there are several.
template <typename Work>
auto naming_case(const std::string& name, std::size_t case_count, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (case_count < 2) throw;
    throw Error(error.kind(), "case '" + name + "': " + error.what()).with_detail(error.detail());
  }
}

/// By case; nullopt where the model must be known first.
using EarlyInputs = std::vector<std::optional<tensor::Value>>;

/// Before the model, which lies in the file `model`, is loaded, so that a bad input costs no work.
[[nodiscard]] EarlyInputs load_early(const std::vector<CaseInput>& cases, std::uint64_t seed,
                                     const std::filesystem::path& model);

/// Those that are still missing.
void load_late(EarlyInputs& inputs, const std::vector<CaseInput>& cases, std::uint64_t seed,
               const model::Model& model);

}  // namespace parity::pipeline

// Private to model/: a `.pt2` file of torch.export.save: its program, its weights as views of the
// mapped file and its sample inputs. Free of torch; runs nothing.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/exported/program.h"
#include "model/weights/state_dict.h"
#include "tensor/value.h"

namespace parity::model {

enum class WeightRole : std::uint8_t { parameter, other };
/// Operators choose other kernels for tensors that could be trained, also where nothing is.
enum class Trainable : std::uint8_t { no, yes };

/// A parameter, buffer or constant.
struct ProgramWeight {
  StoredTensor stored;
  WeightRole role = WeightRole::other;
  Trainable trainable = Trainable::no;
  std::string record;  ///< of the archive; tied weights and views of one tensor share it
  std::int64_t offset_elements = 0;
};

struct ProgramFile {
  Program program;
  std::map<std::string, ProgramWeight> weights;  ///< by name, state_dict and constants
};

/// Throws Error(model) in one sentence: what the file is and how to export one that works, where it
/// is damaged, which weight is not stored as plain numbers.
[[nodiscard]] ProgramFile read_program_file(const std::filesystem::path& file);

}  // namespace parity::model

// Private to model/: the records of a `.pt2` archive by their part in the program. Knows where
// torch.export.save puts what, and nothing of what is in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "model/weights/file_bytes.h"
#include "model/weights/zip_archive.h"

namespace parity::model {

class ProgramArchive {
 public:
  /// Throws Error(model) unless the file is an archive with exactly one program.
  explicit ProgramArchive(const std::filesystem::path& file);

  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] std::string_view program() const { return as_text(program_.bytes); }

  /// "weights" or "constants": the JSON that lists its tensors.
  [[nodiscard]] FileBytes list_of(const std::string& part) const;
  /// A tensor's bytes. Throws Error(model) when they are missing.
  [[nodiscard]] FileBytes tensor(const std::string& part, const std::string& name) const;
  /// torch.save of (positional arguments, keyword arguments); nullopt when there are none.
  [[nodiscard]] std::optional<FileBytes> sample_inputs() const;

 private:
  [[nodiscard]] FileBytes record(const std::string& name) const;

  std::string label_;
  ZipArchive zip_;
  std::string folder_;
  std::string name_;  ///< of the program: "model"
  FileBytes program_;
};

}  // namespace parity::model

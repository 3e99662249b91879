// A golden's file that passed its checks and is open in HDF5. Reads nothing of what is in it.
#pragma once

#include <cstdint>
#include <filesystem>

#include <H5Cpp.h>

#include "golden_store/descriptor_driver.h"
#include "golden_store/sealed_file.h"

namespace parity::golden_store {

/// Made and destroyed under an Hdf5Session. Has to outlive every HDF5 object of the file.
class OpenGolden {
 public:
  /// As SealedFile throws.
  explicit OpenGolden(std::filesystem::path path);
  OpenGolden(const OpenGolden&) = delete;
  OpenGolden& operator=(const OpenGolden&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const SealedFile& sealed() const { return sealed_; }
  [[nodiscard]] std::uint64_t size_bytes() const { return sealed_.size_bytes(); }
  [[nodiscard]] const H5::H5File& file() const { return file_; }

 private:
  std::filesystem::path path_;
  SealedFile sealed_;
  DriverTarget target_;
  H5::H5File file_;
};

}  // namespace parity::golden_store

// Shared libraries made of what a test names: real ELF files, with the parts that LibTorch's have
// and no code.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parity::host {

struct LibraryParts {
  std::vector<std::string> needed;
  std::string runpath;
  std::vector<std::pair<std::string, std::string>> sections;  ///< name and bytes
};

[[nodiscard]] std::string made_library(const LibraryParts& parts);

/// What a bundle is compressed with, by LLVM's numbers.
enum class Packer : std::uint16_t { zlib = 0, zstd = 1 };

/// Bytes of section .hip_fatbin with `copies` bundles, each with code for the targets.
/// `compression`: 0 for none, else the version of the compressed header.
[[nodiscard]] std::string made_hip_code(const std::vector<std::string>& targets, int compression,
                                        int copies = 1, Packer packer = Packer::zstd);

/// Bytes of section .nv_fatbin with one fat binary: "sm_90" is machine code, "compute_90" is PTX.
[[nodiscard]] std::string made_cuda_code(const std::vector<std::string>& targets);

}  // namespace parity::host

// Which GPUs a library holds code for, read out of its file: AMD's offload bundles and NVIDIA's fat
// binaries. Nothing is loaded or run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "host/elf_file.h"

namespace parity::host {

/// "sm_90" before "sm_100": by length, then by text.
struct ByLength {
  bool operator()(const std::string& one, const std::string& other) const {
    return one.size() != other.size() ? one.size() < other.size() : one < other;
  }
};
using Targets = std::set<std::string, ByLength>;

struct GpuCode {
  /// "gfx942", "gfx90a:xnack-", "gfx11-generic"; or "sm_90" for machine code.
  Targets targets;
  /// "compute_90": intermediate code (PTX) that the driver compiles for newer GPUs.
  Targets intermediate;
  /// Bundles are there whose compression this program cannot undo.
  bool unreadable = false;
};

/// Targets of every bundle in section .hip_fatbin, compressed ones included. Format: "Clang Offload
/// Bundler" of LLVM's documentation.
[[nodiscard]] GpuCode hip_code(const ElfFile& library);

/// Architectures of every entry of section .nv_fatbin.
[[nodiscard]] GpuCode cuda_code(const ElfFile& library);

/// Architectures that a folder of kernel files is for, by the files' names ("..._gfx942.co",
/// "Kernels.so-000-gfx90a-xnack+.hsaco"): rocBLAS and hipBLASLt keep one set for each.
[[nodiscard]] Targets kernel_file_targets(const std::filesystem::path& folder);

}  // namespace parity::host

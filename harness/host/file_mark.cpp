#include "host/file_mark.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/elf_file.h"
#include "tensor/digest.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownDigits = 16;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kWhole = 64 * kMiB;
constexpr std::uint64_t kSample = 64 * 1024;
constexpr std::uint64_t kEdge = 16 * 1024;

/// Adds bytes [offset, offset + size) of the file; false when they cannot be read.
bool add_bytes(std::ifstream& in, std::uint64_t offset, std::uint64_t size,
               tensor::DigestStream& digest) {
  std::vector<char> bytes(size);
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!in) return false;
  digest.update(std::as_bytes(std::span(bytes)));
  return true;
}

std::string shown(const tensor::DigestStream& digest) {
  return tensor::to_hex(digest.finish()).substr(0, kShownDigits);
}

std::string content_mark(const fs::path& file, std::uint64_t size) {
  std::ifstream in(file, std::ios::binary);
  tensor::DigestStream digest;
  const bool whole = size <= kWhole;
  bool read = in.is_open();
  for (std::uint64_t offset = 0; read && offset < size; offset += kMiB)
    read = add_bytes(in, offset, std::min(whole ? kMiB : kSample, size - offset), digest);
  if (read && !whole) read = add_bytes(in, size - kSample, kSample, digest);
  if (!read) return {};
  return (whole ? "xxh3 " : "xxh3-sampled ") + shown(digest);
}

/// Whether a file of kernels is for this architecture, or says nothing of any.
bool counts(const std::string& name, const std::string& arch) {
  return name.find("gfx") == std::string::npos ||
         (!arch.empty() && name.find(arch) != std::string::npos);
}

std::vector<fs::path> files_below(const fs::path& folder, const std::string& arch) {
  std::vector<fs::path> files;
  std::error_code problem;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::follow_directory_symlink,
                                           problem);
  for (; !problem && entries != fs::recursive_directory_iterator(); entries.increment(problem)) {
    std::error_code ignored;
    if (!entries->is_regular_file(ignored)) continue;
    if (counts(entries->path().lexically_relative(folder).string(), arch))
      files.push_back(entries->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string file_mark(const fs::path& file) {
  std::error_code problem;
  const std::uint64_t size = fs::file_size(file, problem);
  if (problem) return "unreadable";
  const auto library = ElfFile::open(file);
  const std::string id = library ? library->build_id() : "";
  const std::string mark =
      id.empty() ? content_mark(file, size) : "build-id " + id.substr(0, kShownDigits);
  return mark.empty() ? "unreadable" : mark + ", " + std::to_string(size) + " bytes";
}

std::string folder_mark(const fs::path& folder, const std::string& arch) {
  tensor::DigestStream digest;
  std::uint64_t bytes = 0;
  const std::vector<fs::path> files = files_below(folder, arch);
  if (files.empty()) return {};
  for (const fs::path& file : files) {
    std::error_code problem;
    const std::uint64_t size = fs::file_size(file, problem);
    if (problem) continue;
    const std::string line =
        file.lexically_relative(folder).string() + " " + std::to_string(size) + "\n";
    digest.update(std::as_bytes(std::span(line)));
    std::ifstream in(file, std::ios::binary);
    const std::uint64_t edge = std::min(size, kEdge);
    if (!add_bytes(in, 0, edge, digest) || !add_bytes(in, size - edge, edge, digest)) continue;
    bytes += size;
  }
  return std::to_string(files.size()) + (files.size() == 1 ? " file, " : " files, ") +
         std::to_string(bytes) + " bytes, xxh3 " + shown(digest);
}

}  // namespace parity::host

#include "cli/output_paths.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "error/error.h"
#include "pipeline/attribute/reproducer.h"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

void check_writable(const FlaggedPath& output) {
  std::error_code ignored;
  if (fs::is_directory(output.path, ignored)) {
    throw Error(ErrorKind::usage, output.flag + " " + output.path + " is a folder; name a file");
  }
  const fs::path parent = fs::path(output.path).parent_path();
  const fs::path folder = parent.empty() ? fs::path(".") : parent;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ErrorKind::usage, output.flag + " " + output.path + ": there is no folder " +
                                      folder.string() + "; make it first");
  }
  const bool exists = fs::exists(output.path, ignored);
  const bool regular = !exists || fs::is_regular_file(output.path, ignored);
  if (access(regular ? folder.c_str() : output.path.c_str(), W_OK) != 0) {
    throw Error(ErrorKind::usage,
                output.flag + " " + output.path + " cannot be written: permission denied");
  }
}

/// Without links and dots, as far as it exists.
fs::path resolved(const std::string& path) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  const fs::path real = fs::weakly_canonical(absolute, ignored);
  const fs::path result = (real.empty() ? absolute : real).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored) || resolved(one) == resolved(other);
}

bool is_in(const std::string& file, const std::string& folder) {
  const fs::path inner = resolved(file);
  const fs::path outer = resolved(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

void check_outputs(const std::vector<FlaggedPath>& outputs,
                   const std::vector<FlaggedPath>& inputs) {
  for (const FlaggedPath& output : outputs) {
    if (output.path.empty() || output.path == "-") continue;
    for (const FlaggedPath& input : inputs) {
      if (!input.path.empty() && is_same_file(output.path, input.path)) {
        throw Error(ErrorKind::usage, output.flag + " " + output.path + " would overwrite " +
                                          input.flag + " of the same command; name another file");
      }
    }
    check_writable(output);
  }
}

void check_new_folder(const FlaggedPath& folder, const std::vector<FlaggedPath>& files) {
  if (folder.path.empty()) return;
  const std::string named = folder.flag + " " + folder.path;
  std::error_code ignored;
  const fs::file_status status = fs::status(folder.path, ignored);
  pipeline::require_empty(folder.path);
  for (const FlaggedPath& file : files) {
    if (file.path.empty() || file.path == "-" || !is_in(file.path, folder.path)) continue;
    throw Error(ErrorKind::usage, file.flag + " " + file.path + " is in the folder of " + named +
                                      ", which takes nothing else; name another");
  }
  const fs::path parent = resolved(folder.path).parent_path();
  if (!fs::exists(status) && !fs::is_directory(parent, ignored)) {
    throw Error(ErrorKind::usage,
                named + ": there is no folder " + parent.string() + "; make it first");
  }
  const std::string written = fs::exists(status) ? folder.path : parent.string();
  if (access(written.c_str(), W_OK) != 0)
    throw Error(ErrorKind::usage, named + " cannot be written: permission denied");
}

void check_folder(const FlaggedPath& folder, const FlaggedPath& other) {
  const std::string named = folder.flag + " " + folder.path;
  std::error_code ignored;
  if (is_same_file(folder.path, other.path))
    throw Error(ErrorKind::usage, named + " is " + other.flag + "; name a folder");
  const bool exists = fs::exists(folder.path, ignored);
  if (exists && !fs::is_directory(folder.path, ignored))
    throw Error(ErrorKind::usage, named + " is no folder; name one, or one to be made");
  const fs::path parent = resolved(folder.path).parent_path();
  if (!exists && !fs::is_directory(parent, ignored)) {
    throw Error(ErrorKind::usage,
                named + ": there is no folder " + parent.string() + "; make it first");
  }
  if (access(exists ? folder.path.c_str() : parent.c_str(), W_OK) != 0)
    throw Error(ErrorKind::usage, named + " cannot be written: permission denied");
}

void make_folder(const std::string& folder) {
  std::error_code failure;
  fs::create_directory(folder, failure);
  if (failure) throw Error(ErrorKind::resource, "cannot make " + folder + ": " + failure.message());
}

void check_replaces(const FlaggedPath& output, const FileKind& kind) {
  std::error_code ignored;
  if (output.path == "-" || !fs::is_regular_file(output.path, ignored)) return;
  if (fs::file_size(output.path, ignored) == 0) return;
  constexpr std::size_t kLookedAt = 4096;
  std::string text(kLookedAt, '\0');
  std::ifstream file(output.path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  const std::size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const bool is_kind = text.compare(start, kind.start.size(), kind.start) == 0 &&
                       text.find(kind.holds) != std::string::npos;
  if (is_kind) return;
  throw Error(ErrorKind::usage, output.flag + " " + output.path + " exists and is no " +
                                    std::string(kind.name) +
                                    ", so it is not overwritten; name another file or remove this "
                                    "one first");
}

}  // namespace parity::cli

#include "cli/output_paths.h"

#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "error/error.h"

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

bool is_same_file(const std::string& left, const std::string& right) {
  std::error_code ignored;
  return fs::equivalent(left, right, ignored);
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

void check_replaces_json(const FlaggedPath& output) {
  std::error_code ignored;
  if (output.path == "-" || !fs::is_regular_file(output.path, ignored)) return;
  std::ifstream file(output.path, std::ios::binary);
  char first = 0;
  if (fs::file_size(output.path, ignored) == 0 || (file >> first && first == '{')) return;
  throw Error(ErrorKind::usage, output.flag + " " + output.path +
                                    " exists and is no JSON, so it is not overwritten; name "
                                    "another file or remove this one first");
}

}  // namespace parity::cli

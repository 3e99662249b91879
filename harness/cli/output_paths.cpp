#include "cli/output_paths.h"

#include <algorithm>
#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

#include "error/error.h"
#include "pipeline/attribute/reproducer.h"
#include "pipeline/record/whole_file.h"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

void check_writable(const FlaggedPath& output) {
  std::error_code ignored;
  if (fs::is_directory(output.path, ignored)) {
    throw Error(ErrorKind::usage, output.flag + " " + output.path + " is a folder; name a file");
  }
  const fs::path written = pipeline::written_path(output.path);
  if (fs::is_symlink(fs::symlink_status(written, ignored)) && !fs::exists(written, ignored)) {
    throw Error(ErrorKind::usage,
                output.flag + " " + output.path + " is a link that leads in a circle; name a file");
  }
  const fs::path parent = written.parent_path();
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
  return fs::equivalent(one, other, ignored) ||
         resolved(pipeline::written_path(one)) == resolved(pipeline::written_path(other));
}

/// Where standard output is a file, which is then written behind the shell's back. Two that go to
/// /dev/null are fine.
bool is_stdout(const std::string& path) {
  struct stat file {};
  struct stat standard {};
  return ::stat(path.c_str(), &file) == 0 && ::fstat(STDOUT_FILENO, &standard) == 0 &&
         S_ISREG(file.st_mode) && file.st_dev == standard.st_dev && file.st_ino == standard.st_ino;
}

void check_apart(const FlaggedPath& output, const std::vector<FlaggedPath>& others) {
  for (const FlaggedPath& other : others) {
    if (other.path.empty()) continue;
    if (output.path == "-" || other.path == "-" || !is_same_file(output.path, other.path)) continue;
    throw Error(ErrorKind::usage, output.flag + " " + output.path + " would overwrite " +
                                      other.flag + " of the same command; name another file");
  }
}

void check_one_printed(const std::vector<FlaggedPath>& outputs) {
  const FlaggedPath* printed = nullptr;
  for (const FlaggedPath& output : outputs) {
    if (output.path != "-") continue;
    if (printed != nullptr) {
      throw Error(ErrorKind::usage, printed->flag + " - and " + output.flag +
                                        " - cannot both have standard output; name a file for one");
    }
    printed = &output;
  }
}

bool is_in(const std::string& file, const std::string& folder) {
  const fs::path inner = resolved(file);
  const fs::path outer = resolved(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

}  // namespace

void check_outputs(const std::vector<FlaggedPath>& outputs,
                   const std::vector<FlaggedPath>& inputs) {
  check_one_printed(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const FlaggedPath& output = outputs[i];
    if (output.path.empty()) continue;
    check_apart(output, inputs);
    check_apart(output, {outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(i)});
    if (output.path == "-") continue;
    if (is_stdout(output.path)) {
      throw Error(ErrorKind::usage,
                  output.flag + " " + output.path +
                      " is the file that standard output goes to; name another, or -");
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

}  // namespace parity::cli

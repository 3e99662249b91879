// Checks on files to be written, made before any work: a result that cannot be kept is not worth
// waiting for.
#pragma once

#include <string>
#include <vector>

namespace parity::cli {

/// A flag and the file that was typed for it.
struct FlaggedPath {
  std::string flag;
  std::string path;
};

/// Throws Error(usage) when an output is a folder, its folder does not exist or cannot be written,
/// when it is one of the inputs, another output or the file that standard output goes to, however
/// both are spelled, linked or given twice, or when two outputs are "-". No path is fine.
void check_outputs(const std::vector<FlaggedPath>& outputs, const std::vector<FlaggedPath>& inputs);

/// Throws Error(usage) when `folder` exists and is not an empty folder, cannot be made or written,
/// or when one of the `files` is in it or is it. An empty path is fine.
void check_new_folder(const FlaggedPath& folder, const std::vector<FlaggedPath>& files);

/// Throws Error(usage) when `folder` is a file, cannot be made or written, or is the file of
/// `other`.
void check_folder(const FlaggedPath& folder, const FlaggedPath& other);
/// Makes the folder where there is none. Throws Error(resource).
void make_folder(const std::string& folder);

}  // namespace parity::cli

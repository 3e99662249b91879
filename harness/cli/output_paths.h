// Checks on files to be written, made before any work: a result that cannot be kept is not worth
// waiting for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity::cli {

/// A flag and the file that was typed for it.
struct FlaggedPath {
  std::string flag;
  std::string path;
};

/// Throws Error(usage) when an output is a folder, its folder does not exist or cannot be written,
/// or when it is one of the inputs, however both are spelled. Empty paths and "-" are fine.
void check_outputs(const std::vector<FlaggedPath>& outputs, const std::vector<FlaggedPath>& inputs);

/// Throws Error(usage) when `folder` exists and is not an empty folder, cannot be made or written,
/// or when one of the `files` is in it or is it. An empty path is fine.
void check_new_folder(const FlaggedPath& folder, const std::vector<FlaggedPath>& files);

/// Throws Error(usage) when `folder` is a file, cannot be made or written, or is the file of
/// `other`.
void check_folder(const FlaggedPath& folder, const FlaggedPath& other);
/// Makes the folder where there is none. Throws Error(resource).
void make_folder(const std::string& folder);

/// How a kind of text file is told from others.
struct FileKind {
  std::string_view name;
  std::string_view start;  ///< what stands first, behind white space
  std::string_view holds;  ///< what comes soon; empty where the start says enough
};
inline constexpr FileKind kJsonFile = {"JSON", "{", ""};
inline constexpr FileKind kDashboardPage = {"page of parity's dashboard", "<!doctype html>",
                                            "content=\"parity dashboard\""};

/// Throws Error(usage) when `output` is a file with something in it that is of another kind: a
/// report replaces a report, not what a mistyped name points at.
void check_replaces(const FlaggedPath& output, const FileKind& kind);

}  // namespace parity::cli

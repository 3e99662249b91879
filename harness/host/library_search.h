// Where the loader would find a shared library, as far as files tell: nothing is loaded. Knows the
// order in which folders are looked in, not what the libraries are for.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/system.h"

namespace parity::host {

class LibrarySearch {
 public:
  explicit LibrarySearch(const System& system);

  /// File of the library, "" when the loader's cache or a system folder has it, nullopt when it is
  /// nowhere. `near` is looked in first.
  [[nodiscard]] std::optional<std::filesystem::path> find(
      const std::string& name, const std::vector<std::filesystem::path>& near) const;

  /// Why the loader's cache could not be asked, "no answer within 5 s"; "" where it was, or where
  /// there is no ldconfig.
  [[nodiscard]] const std::string& cache_problem() const { return cache_problem_; }
  [[nodiscard]] const System& system() const { return system_; }

 private:
  const System& system_;
  std::vector<std::filesystem::path> folders_;
  std::set<std::string> cached_;
  std::string cache_problem_;
};

/// Names that `first` and the libraries that it asks for ask for in turn and that are nowhere.
/// DT_RPATH and DT_RUNPATH of each count for all behind it, and `near` for all. What libraries of
/// the folder `not_into` ask for is not followed; "" for everywhere.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
[[nodiscard]] std::set<std::string> missing_libraries(const LibrarySearch& search,
                                                      const std::filesystem::path& first,
                                                      const std::filesystem::path& near,
                                                      const std::filesystem::path& not_into = {});
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
[[nodiscard]] std::set<std::string> missing_libraries(const System& system,
                                                      const std::filesystem::path& first,
                                                      const std::filesystem::path& near,
                                                      const std::filesystem::path& not_into = {});

}  // namespace parity::host

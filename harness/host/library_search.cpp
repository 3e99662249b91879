#include "host/library_search.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "host/doctor/tool_text.h"
#include "host/elf_file.h"

namespace parity::host {
namespace {

namespace fs = std::filesystem;

bool is_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  return !folder.empty() &&
         fs::weakly_canonical(file.parent_path(), error) == fs::weakly_canonical(folder, error);
}

}  // namespace

LibrarySearch::LibrarySearch(const System& system) : system_(system) {
  const std::string path = system_.variable("LD_LIBRARY_PATH").value_or("");
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    if (end > start) folders_.emplace_back(path.substr(start, end - start));
    start = end + 1;
  }
  // It reads one file, which takes milliseconds.
  constexpr std::chrono::seconds kLimit{5};
  const ChildEnd cache = system_.run("ldconfig", {"-p"}, kLimit);
  if (!cache.succeeded() && cache.ending != Ending::not_found) cache_problem_ = ending_text(cache);
  for (const std::string& line : lines_of(cache.out))
    cached_.insert(line.substr(0, line.find(' ')));
}

std::optional<fs::path> LibrarySearch::find(const std::string& name,
                                            const std::vector<fs::path>& near) const {
  for (const auto* folders : {&near, &folders_}) {
    for (const fs::path& folder : *folders) {
      if (system_.exists(folder / name)) return folder / name;
    }
  }
  if (cached_.count(name) > 0) return fs::path();
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib/x86_64-linux-gnu",
                             "/usr/lib/x86_64-linux-gnu", "/usr/lib", "/lib"}) {
    if (system_.exists(fs::path(folder) / name)) return fs::path();
  }
  return std::nullopt;
}

// NOLINTBEGIN(bugprone-easily-swappable-parameters): as the search goes, from a file on
std::set<std::string> missing_libraries(const System& system, const fs::path& first,
                                        const fs::path& near, const fs::path& not_into) {
  return missing_libraries(LibrarySearch(system), first, near, not_into);
}

std::set<std::string> missing_libraries(const LibrarySearch& search, const fs::path& first,
                                        const fs::path& near, const fs::path& not_into) {
  // NOLINTEND(bugprone-easily-swappable-parameters)
  const System& system = search.system();
  std::set<std::string> missing;
  std::set<std::string> seen;
  std::vector<fs::path> queue = {first};
  std::vector<fs::path> folders = {near};
  while (!queue.empty()) {
    const fs::path path = queue.back();
    queue.pop_back();
    const auto library = ElfFile::open(system.file(path));
    if (!library) continue;
    for (const fs::path& folder : library->search_folders()) {
      // $ORIGIN stands for the folder below the root that files are read from.
      const std::string text = folder.string();
      const std::string root = system.file("/").string();
      folders.emplace_back(text.rfind(root, 0) == 0 ? "/" + text.substr(root.size()) : text);
    }
    for (const std::string& name : library->needed()) {
      if (!seen.insert(name).second) continue;
      const auto found = search.find(name, folders);
      if (!found) missing.insert(name);
      if (found && !found->empty() && !is_in(*found, not_into)) queue.push_back(*found);
    }
  }
  return missing;
}

}  // namespace parity::host

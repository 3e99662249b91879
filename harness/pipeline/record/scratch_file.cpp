#include "pipeline/record/scratch_file.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include <unistd.h>

#include "error/error.h"

namespace parity::pipeline {

ScratchFile::ScratchFile() {
  constexpr std::string_view kEnding = ".h5";
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  std::string pattern = (folder / "parity-XXXXXX").string().append(kEnding);
  const int file = failure ? -1 : ::mkstemps(pattern.data(), static_cast<int>(kEnding.size()));
  if (file < 0) {
    throw Error(ErrorKind::resource,
                "no temporary file can be made in " +
                    (failure ? std::string("the folder that TMPDIR names") : folder.string()) +
                    "; set TMPDIR to a folder that can be written and has room for every tap");
  }
  ::close(file);
  path_ = pattern;
  on_signal_.emplace(path_);
}

ScratchFile::~ScratchFile() { remove(); }

void ScratchFile::remove() noexcept {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
  path_.clear();
  on_signal_.reset();
}

}  // namespace parity::pipeline

#include "pipeline/scratch_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "error/error.h"

namespace parity::pipeline {

ScratchFolder::ScratchFolder() {
  std::error_code failure;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
  std::string pattern = (parent / "parity-XXXXXX").string();
  if (failure || ::mkdtemp(pattern.data()) == nullptr) {
    throw Error(ErrorKind::resource,
                "no folder for temporary files can be made in " +
                    (failure ? std::string("the place that TMPDIR names") : parent.string()) +
                    "; set TMPDIR to a folder that can be written and has room for every tap");
  }
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() noexcept {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  path_.clear();
}

}  // namespace parity::pipeline

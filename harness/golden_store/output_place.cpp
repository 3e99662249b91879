#include "golden_store/output_place.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error/error.h"
#include "golden_store/descriptor.h"
#include "golden_store/temporary_file.h"
#include "golden_store/unfinished_files.h"
#include "golden_store/user_block.h"

namespace parity::golden_store {

std::filesystem::path refusing_other_files(std::filesystem::path path) {
  // O_NONBLOCK: what is no file is for TemporaryFile to refuse, not to wait for.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() && errno != EACCES) return path;
  struct stat status {};
  std::array<std::byte, kUserBlockBytes> start{};
  std::string what = "cannot be read";
  if (file.is_open()) {
    if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return path;
    const ssize_t count = ::pread(file.number(), start.data(), start.size(), 0);
    const auto bytes =
        std::span(start).first(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (status.st_size == 0 || begins_as_golden(bytes)) return path;
    what = "is not a golden";
  }
  throw Error(ErrorKind::usage,
              fmt::format("{} exists and {}, so it is not overwritten; name another file or remove "
                          "this one first",
                          path.string(), what));
}

bool is_beside(const std::filesystem::path& file, const std::filesystem::path& golden) {
  const std::filesystem::path folder = folder_of(linked_path(golden));
  std::error_code failure;
  if (!std::filesystem::equivalent(folder_of(file), folder, failure)) return false;
  const std::filesystem::path target = std::filesystem::canonical(file, failure);
  return !failure && std::filesystem::equivalent(target.parent_path(), folder, failure);
}

}  // namespace parity::golden_store

#include "golden_store/temporary_file.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "error/error.h"

namespace parity::golden_store {
namespace {

namespace fs = std::filesystem;

/// The disk's fault (exit 3) rather than the path's (exit 2).
ErrorKind kind_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EIO:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return ErrorKind::resource;
    default:
      return ErrorKind::store;
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path checked_target(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!path.has_filename() || fs::is_directory(status)) {
    throw Error(
        ErrorKind::store,
        fmt::format("cannot write {}: it is a folder; pass a file name with --out", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorKind::store,
                fmt::format("cannot write {}: it is not a regular file", path.string()));
  }
  return fs::is_symlink(fs::symlink_status(path, ignored)) && fs::exists(status)
             ? fs::canonical(path)
             : path;
}

/// A new file beside `path` and its name. Names of killed processes, or of processes with the same
/// id in other containers, are passed over.
std::pair<fs::path, int> create_beside(const fs::path& path) {
  constexpr int kAttempts = 1000;
  static std::atomic<unsigned> counter{0};
  fs::path name;
  int number = -1;
  for (int attempt = 0; attempt < kAttempts && number < 0; ++attempt) {
    name = folder_of(path) /
           fmt::format(".{}.tmp.{}.{}", path.filename().string(), ::getpid(), counter++);
    number = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number < 0 && errno != EEXIST) break;
  }
  return {name, number};
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& path) : final_(checked_target(path)), file_(-1) {
  auto [name, number] = create_beside(final_);
  const int error = errno;
  if (number < 0) {
    throw Error(kind_of(error),
                fmt::format("cannot create a file in {}: {}; pass a folder that exists and can be "
                            "written with --out",
                            folder_of(final_).string(), std::generic_category().message(error)));
  }
  temporary_ = std::move(name);
  file_ = Descriptor(number);
}

TemporaryFile::~TemporaryFile() { discard(); }

std::uint64_t TemporaryFile::size_bytes() const {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) throw_failed("measure", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

void TemporaryFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw_failed("write", errno);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void TemporaryFile::start_sync() {
  // Only a hint: whatever it cannot do, publish() does.
  static_cast<void>(::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE));
}

void TemporaryFile::publish() {
  if (::fsync(file_.number()) != 0) throw_failed("write", errno);
  if (::rename(temporary_.c_str(), final_.c_str()) != 0) throw_failed("put in place", errno);
  stage_ = Stage::published;
  const Descriptor folder(::open(folder_of(final_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some network file systems cannot sync a folder; the file itself is safe by now.
  if (folder.is_open() && ::fsync(folder.number()) != 0 && errno != EINVAL && errno != ENOTSUP)
    throw_failed("sync the folder of", errno);
}

void TemporaryFile::discard() noexcept {
  if (stage_ != Stage::open) return;
  stage_ = Stage::discarded;
  static_cast<void>(::ftruncate(file_.number(), 0));
  ::unlink(temporary_.c_str());
}

void TemporaryFile::throw_failed(const std::string& action, int error) const {
  throw Error(kind_of(error),
              fmt::format("cannot {} {}: {}; make room (or pass another --out) and record again",
                          action, final_.string(), std::generic_category().message(error)));
}

}  // namespace parity::golden_store

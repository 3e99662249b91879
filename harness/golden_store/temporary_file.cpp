#include "golden_store/temporary_file.h"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "error/error.h"
#include "golden_store/errno_kind.h"

namespace parity::golden_store {
namespace {

namespace fs = std::filesystem;

fs::path checked_target(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!path.has_filename() || fs::is_directory(status)) {
    throw Error(ErrorKind::store,
                fmt::format("cannot write {}: it is a folder; name a file", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorKind::store,
                fmt::format("cannot write {}: it is not a regular file", path.string()));
  }
  return linked_path(path);
}

}  // namespace

fs::path linked_path(const fs::path& path) {
  // What the kernel follows before it takes links for a circle.
  constexpr int kMostLinks = 40;
  std::error_code failure;
  fs::path target = path;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(target, failure)); ++i) {
    const fs::path next = fs::read_symlink(target, failure);
    if (failure) return path;
    target = target.parent_path() / next;
  }
  return fs::is_symlink(fs::symlink_status(target, failure)) ? path : target;
}

TemporaryFile::TemporaryFile(const fs::path& path) : final_(checked_target(path)), file_(-1) {
  NewFile created = create_unfinished(final_);
  const int error = errno;
  if (!created.descriptor.is_open()) {
    const ErrorKind kind = kind_of_errno(error);
    throw Error(kind, fmt::format("cannot create a file in {}: {}; {}", folder_of(final_).string(),
                                  std::generic_category().message(error),
                                  kind == ErrorKind::resource
                                      ? "make room, or raise the limit, and try again"
                                      : "name a file in a folder that can be written"));
  }
  temporary_ = std::move(created.path);
  file_ = std::move(created.descriptor);
  removed_on_signal_.emplace(temporary_);
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
  removed_on_signal_.reset();
  // No failure whatever this says: the file is in place, whole and synced. Should the power fail
  // before the folder reaches the disk, the name shows the file before this one, which is whole as
  // well.
  const Descriptor folder(::open(folder_of(final_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) static_cast<void>(::fsync(folder.number()));
}

void TemporaryFile::discard() noexcept {
  if (stage_ != Stage::open) return;
  stage_ = Stage::discarded;
  static_cast<void>(::ftruncate(file_.number(), 0));
  ::unlink(temporary_.c_str());
  removed_on_signal_.reset();
}

void TemporaryFile::throw_failed(const std::string& action, int error) const {
  throw Error(kind_of_errno(error),
              fmt::format("cannot {} {}: {}; make room, or name a file elsewhere, and run again",
                          action, final_.string(), std::generic_category().message(error)));
}

}  // namespace parity::golden_store

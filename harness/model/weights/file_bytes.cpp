#include "model/weights/file_bytes.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::model {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

class Mapping {
 public:
  Mapping(void* address, std::size_t size_bytes) : address_(address), size_bytes_(size_bytes) {}
  ~Mapping() { ::munmap(address_, size_bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  void* address_;
  std::size_t size_bytes_;
};

/// `action`: "open". The machine's lack (exit 3) is not the file's fault (exit 2).
[[noreturn]] void throw_failed(const std::string& action, const std::filesystem::path& file,
                               int error) {
  const bool machine = error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO;
  const std::string advice = error == EMFILE || error == ENFILE ? "; raise the limit (ulimit -n)"
                             : machine                          ? "; try again when there is room"
                                                                : "; check the path";
  throw Error(machine ? ErrorKind::resource : ErrorKind::model,
              "cannot " + action + " " + file.string() + ": " + std::strerror(error) + advice);
}

}  // namespace

FileBytes map_file(const std::filesystem::path& file) {
  // O_NONBLOCK: opening a named pipe must not wait for its writer.
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.value() < 0) throw_failed("open", file, errno);
  struct stat status {};
  if (::fstat(descriptor.value(), &status) != 0) throw_failed("read", file, errno);
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::model, file.string() + " is a folder; name the file inside it");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::model, file.string() + " is not a regular file; copy it to one");
  }
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  if (size_bytes == 0) return {};
  void* address = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, descriptor.value(), 0);
  if (address == MAP_FAILED) throw_failed("map", file, errno);
  return {{static_cast<const std::byte*>(address), size_bytes},
          std::make_shared<Mapping>(address, size_bytes)};
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t offset,
                            std::size_t size) {
  PARITY_CHECK(size <= 8 && holds(bytes, offset, size));
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[offset + i]);
  }
  return value;
}

bool holds(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

}  // namespace parity::model

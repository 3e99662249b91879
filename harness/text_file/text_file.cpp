#include "text_file/text_file.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::text_file {
namespace {

class Descriptor {
 public:
  // Without the second flag, a pipe that nobody writes to would be waited for.
  explicit Descriptor(const std::filesystem::path& file)
      : number_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

class Reading {
 public:
  Reading(const std::filesystem::path& file, const Kind& kind) : file_(file), kind_(kind) {}

  [[nodiscard]] std::string text() const {
    const Descriptor descriptor(file_);
    struct stat facts {};
    if (descriptor.number() < 0 || fstat(descriptor.number(), &facts) != 0) {
      const bool is_stdin = file_ == "-" && errno == ENOENT;
      refuse("cannot be read: " +
             std::string(is_stdin ? "a file is needed, not standard input" : std::strerror(errno)));
    }
    if (S_ISDIR(facts.st_mode)) refuse("cannot be read: it is a folder");
    if (!S_ISREG(facts.st_mode))
      refuse("cannot be read: it is a pipe or a device, and a file is needed");
    const auto size_bytes = static_cast<std::uint64_t>(facts.st_size);
    if (size_bytes > kind_.most_bytes) refuse_size();
    return content(descriptor.number(), size_bytes);
  }

 private:
  /// Of a file that has `size_bytes` when it is opened, and may have more when it is read.
  [[nodiscard]] std::string content(int descriptor, std::uint64_t size_bytes) const {
    constexpr std::size_t kStep = std::size_t{1} << 16U;
    std::string text;
    text.reserve(static_cast<std::size_t>(size_bytes));
    std::string step(kStep, '\0');
    for (;;) {
      const ssize_t got = ::read(descriptor, step.data(), step.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse("cannot be read: " + std::string(std::strerror(errno)));
      if (got == 0) return text;
      if (text.size() + static_cast<std::size_t>(got) > kind_.most_bytes) refuse_size();
      text.append(step, 0, static_cast<std::size_t>(got));
    }
  }

  [[noreturn]] void refuse_size() const {
    refuse("is larger than " + std::string(kind_.most_text) + ", as no " + std::string(kind_.name) +
           " is");
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorKind::usage,
                file_.string() + " " + problem + "; " + std::string(kind_.advice));
  }

  const std::filesystem::path& file_;
  const Kind& kind_;
};

}  // namespace

std::string read(const std::filesystem::path& file, const Kind& kind) {
  return Reading(file, kind).text();
}

}  // namespace parity::text_file

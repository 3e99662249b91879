#include "cli/standard_streams.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace parity::cli {
namespace {

/// open() takes the lowest number that is free: called from 0 upwards, that is `stream`.
void hold(int stream, int access) {
  if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) return;
  static_cast<void>(::open("/dev/null", access));
}

}  // namespace

void secure_standard_streams() {
  hold(STDIN_FILENO, O_RDONLY);
  hold(STDOUT_FILENO, O_RDONLY);
  hold(STDERR_FILENO, O_WRONLY);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace parity::cli

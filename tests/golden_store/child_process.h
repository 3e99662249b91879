// Runs code in a process of its own, so that a test survives its death.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error/error.h"

namespace parity::golden_store::testing {

inline constexpr int kFinished = 10;       ///< exit status: no exception
inline constexpr int kThrew = 20;          ///< plus the number of the error's kind
inline constexpr int kThrewSomething = 9;  ///< an exception that is not ours

inline int threw(ErrorKind kind) { return kThrew + static_cast<int>(kind); }

/// Starts `work` in a child, which leaves through exit() so that handlers of libraries run, too.
inline pid_t start_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = kFinished;
  try {
    work();
  } catch (const Error& error) {
    status = threw(error.kind());
  } catch (...) {
    status = kThrewSomething;
  }
  std::exit(status);
}

/// Exit status of the child, or minus the signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

inline int run_in_child(const std::function<void()>& work) { return wait_for(start_child(work)); }

/// From now on no file of this process grows beyond `size_bytes`: a disk that is full after so many
/// bytes.
inline void limit_file_size(rlim_t size_bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{size_bytes, size_bytes};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(1);
}

/// Errors on a file instead of taking the machine's memory. Not under a sanitizer, which maps
/// terabytes.
inline void limit_memory([[maybe_unused]] rlim_t size_bytes) {
#ifndef __SANITIZE_ADDRESS__
  const rlimit limit{size_bytes, size_bytes};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) std::exit(1);
#endif
}

}  // namespace parity::golden_store::testing

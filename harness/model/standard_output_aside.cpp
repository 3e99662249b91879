#include "model/standard_output_aside.h"

#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace parity::model {

StandardOutputAside::StandardOutputAside() {
  std::fflush(stdout);
  constexpr int kBehindStandardStreams = 3;
  kept_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kBehindStandardStreams);
  if (kept_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

StandardOutputAside::~StandardOutputAside() {
  if (kept_ < 0) return;
  std::fflush(stdout);
  ::dup2(kept_, STDOUT_FILENO);
  ::close(kept_);
}

}  // namespace parity::model

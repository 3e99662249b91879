// Dies as it is told, after one line of output.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <unistd.h>

namespace {

void sleep_for_ever() {
  while (true) pause();
}

void die_of(const std::string& how) {
  if (how == "ill") std::raise(SIGILL);
  if (how == "segv") std::raise(SIGSEGV);
  if (how == "fpe") std::raise(SIGFPE);
  if (how == "bus") std::raise(SIGBUS);
  if (how == "abort") std::abort();
  if (how == "run-illegal") __builtin_trap();
  if (how == "throw") throw std::runtime_error("no kernel image is available");
}

void hang(const std::string& how) {
  if (how == "hang-ignoring-terminate") std::signal(SIGTERM, SIG_IGN);
  if (how == "hang-with-grandchild" && fork() == 0) sleep_for_ever();
  if (how.rfind("hang", 0) == 0) sleep_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  std::printf("step before\n");
  std::fflush(stdout);
  if (how == "exit") {
    std::fprintf(stderr, "to standard error\n");
    return argc > 2 ? std::atoi(argv[2]) : 1;
  }
  if (how == "leave-grandchild") {
    if (fork() == 0) sleep_for_ever();
    return 0;
  }
  if (how == "leave-flooding-grandchild") {
    if (fork() != 0) {
      usleep(100'000);  // until the pipe is full
      return 0;
    }
    setsid();  // out of the group that is killed; ends of SIGPIPE, once nobody reads
    const std::string much(std::size_t{1} << 20U, 'n');
    for (int writers = 1; writers < 4 && fork() != 0;) ++writers;
    while (write(1, much.data(), much.size()) > 0) continue;
    return 0;
  }
  while (how == "flood") std::puts("the same again and again");
  die_of(how);
  hang(how);
  return 1;
}

// A library whose initialiser never ends, whatever it is asked to.
#include <csignal>
#include <initializer_list>

#include <unistd.h>

namespace {

int never_end() {
  for (const int number : {SIGALRM, SIGTERM, SIGINT, SIGHUP}) std::signal(number, SIG_IGN);
  while (true) pause();
}

[[maybe_unused]] const int never = never_end();

}  // namespace

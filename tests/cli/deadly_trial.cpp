// Loaded in front of the program: the process that tries the CPU ends as PARITY_DEADLY says, by the
// number of a signal, or never. All others are left alone.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

namespace {

[[gnu::constructor]] void end_as_told() {
  const char* how = std::getenv("PARITY_DEADLY");
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string wanted("--inside\0cpu", 12);
  if (how == nullptr || line.find(wanted) == std::string::npos) return;
  const int number = std::atoi(how);
  if (number > 0) std::raise(number);
  while (true) pause();
}

}  // namespace

#include "host/machine.h"

#include <fstream>
#include <string>
#include <thread>

namespace parity::host {
namespace {

/// Value of the first line of `file` that starts with `key` and has `separator` behind it; "" when
/// there is none.
std::string value_of(const std::filesystem::path& file, const std::string& key, char separator) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t at = line.find(separator);
    if (line.rfind(key, 0) != 0 || at == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "";
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

run::Provenance machine_facts(const std::filesystem::path& root) {
  run::Provenance facts;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) facts.set(key, value);
  };
  add("host.cpu", value_of(root / "proc/cpuinfo", "model name", ':'));
  add("host.cores", std::to_string(std::thread::hardware_concurrency()));
  add("host.kernel", first_line(root / "proc/sys/kernel/osrelease"));
  add("host.os", value_of(root / "etc/os-release", "PRETTY_NAME", '='));
  return facts;
}

}  // namespace parity::host

#include "host/machine.h"

#include <array>
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

/// Those of the processor's features by which libraries choose kernels that round differently.
std::string number_features(const std::filesystem::path& cpuinfo) {
  static constexpr std::array<const char*, 14> kFeatures = {
      "sse4_1",      "avx",         "fma",      "f16c",     "avx2",     "avx512f", "avx512_vnni",
      "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_fp16", "avx_vnni", "sve",     "bf16"};
  std::string flags = value_of(cpuinfo, "flags", ':');
  if (flags.empty()) flags = value_of(cpuinfo, "Features", ':');  // of Arm
  const std::string padded = " " + flags + " ";
  std::string found;
  for (const std::string feature : kFeatures) {
    if (padded.find(" " + feature + " ") != std::string::npos)
      found += (found.empty() ? "" : " ") + feature;
  }
  return found;
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
  add("host.cpu_features", number_features(root / "proc/cpuinfo"));
  add("host.kernel", first_line(root / "proc/sys/kernel/osrelease"));
  add("host.os", value_of(root / "etc/os-release", "PRETTY_NAME", '='));
  return facts;
}

}  // namespace parity::host

#include "model/torch/gpu_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include <dlfcn.h>

#include "model/torch/gpu_firmware.h"
#include "run/gfx_target.h"

namespace parity::model {
namespace {

namespace fs = std::filesystem;

/// First line of a small file of /proc or /sys; "" when unreadable.
std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0)
    line.pop_back();
  return line;
}

template <class Function>
Function* runtime_function(GpuRuntime runtime, const std::string& name) {
  const std::string symbol = (runtime == GpuRuntime::cuda ? "cuda" : "hip") + name;
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, symbol.c_str()));
}

/// "0000:1b:00.0" in lower case; "" when the runtime does not say.
std::string pci_address(GpuRuntime runtime, int index) {
  auto* get = runtime_function<int(char*, int, int)>(runtime, "DeviceGetPCIBusId");
  std::array<char, 32> text{};
  if (get == nullptr || get(text.data(), static_cast<int>(text.size()), index) != 0) return {};
  std::string address(text.data());
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

std::string nvidia_arch(int index) {
  // Attributes 75 and 76 are the compute capability; the numbers are part of CUDA's stable C
  // interface.
  auto* get = runtime_function<int(int*, int, int)>(GpuRuntime::cuda, "DeviceGetAttribute");
  int major = 0;
  int minor = 0;
  if (get == nullptr || get(&major, 75, index) != 0 || get(&minor, 76, index) != 0) return {};
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

std::string nvidia_name(const std::string& address) {
  std::ifstream in(fs::path("/proc/driver/nvidia/gpus") / address / "information");
  static constexpr std::string_view kKey = "Model:";
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(kKey, 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", kKey.size());
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

std::string nvidia_driver() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.15  Thu ...": the first word that is a
  // dotted number.
  std::istringstream words(first_line("/proc/driver/nvidia/version"));
  for (std::string word; words >> word;) {
    const bool digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (digits && word.find('.') != std::string::npos) return word;
  }
  return {};
}

using Properties = std::map<std::string, std::uint64_t>;

Properties kfd_properties(const fs::path& node) {
  std::ifstream in(node / "properties");
  Properties properties;
  std::string key;
  for (std::uint64_t value = 0; in >> key >> value;) properties[key] = value;
  return properties;
}

/// The amdgpu driver's topology node of the GPU at `address`; empty when there is none.
Properties kfd_node(const std::string& address) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  unsigned function = 0;
  if (std::sscanf(address.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
    return {};
  const std::uint64_t location = bus << 8U | device << 3U | function;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/sys/class/kfd/kfd/topology/nodes", problem)) {
    Properties properties = kfd_properties(entry.path());
    if (properties["simd_count"] > 0 && properties["location_id"] == location &&
        properties["domain"] == domain) {
      return properties;
    }
  }
  return {};
}

/// The runtime answers for the current device alone, so `index` is made that for the question.
std::uint64_t memory_bytes(GpuRuntime runtime, int index) {
  auto* current = runtime_function<int(int*)>(runtime, "GetDevice");
  auto* make_current = runtime_function<int(int)>(runtime, "SetDevice");
  auto* ask = runtime_function<int(std::size_t*, std::size_t*)>(runtime, "MemGetInfo");
  int before = 0;
  if (current == nullptr || make_current == nullptr || ask == nullptr || current(&before) != 0)
    return 0;
  // Setting a device costs it a context, so one that is current already is left alone.
  if (before != index && make_current(index) != 0) return 0;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const bool answered = ask(&free_bytes, &total_bytes) == 0;
  if (before != index) make_current(before);
  return answered ? total_bytes : 0;
}

/// Torch keeps each device's properties; both vendors' structs open with the name, as char[256].
std::string name_from_torch(int index) {
  using Get = const char*(signed char);
  auto* get = reinterpret_cast<Get*>(dlsym(RTLD_DEFAULT, "_ZN2at4cuda19getDevicePropertiesEa"));
  if (get == nullptr) return {};
  const char* name = get(static_cast<signed char>(index));
  return name == nullptr ? std::string() : std::string(name, strnlen(name, 255));
}

template <class Function>
Function* library_function(const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, symbol));
}

/// "13.1.0" by a function of CUDA's libraries that gives major, minor and patch one by one.
std::string version_by_property(const char* symbol) {
  auto* get = library_function<int(int, int*)>(symbol);
  std::string version;
  for (int property = 0; property < 3; ++property) {
    int number = 0;
    if (get == nullptr || get(property, &number) != 0) return {};
    if (property > 0) version += '.';
    version += std::to_string(number);
  }
  return version;
}

std::string rocblas_version() {
  auto* get = library_function<int(char*, std::size_t)>("rocblas_get_version_string");
  std::array<char, 128> text{};
  if (get == nullptr || get(text.data(), text.size()) != 0) return {};
  return std::string(text.data(), strnlen(text.data(), text.size()));
}

}  // namespace

std::map<std::string, std::string> kernel_library_versions(GpuRuntime runtime) {
  std::map<std::string, std::string> versions;
  const auto add = [&](const char* name, const std::string& version) {
    if (!version.empty()) versions[name] = version;
  };
  if (runtime == GpuRuntime::cuda) {
    add("cublas", version_by_property("cublasGetProperty"));
    add("cublaslt", version_by_property("cublasLtGetProperty"));
    add("cusparse", version_by_property("cusparseGetProperty"));
    add("cusolver", version_by_property("cusolverGetProperty"));
    add("cufft", version_by_property("cufftGetProperty"));
  } else {
    add("rocblas", rocblas_version());
  }
  return versions;
}

GpuFacts gpu_facts(GpuRuntime runtime, int index) {
  const std::string address = pci_address(runtime, index);
  GpuFacts facts;
  if (runtime == GpuRuntime::cuda) {
    facts.vendor = "NVIDIA";
    facts.name = nvidia_name(address);
    facts.arch = nvidia_arch(index);
    facts.driver = nvidia_driver();
  } else {
    facts.vendor = "AMD";
    facts.name = first_line(fs::path("/sys/bus/pci/devices") / address / "product_name");
    facts.arch = run::gfx_name(kfd_node(address)["gfx_target_version"]);
    facts.driver = first_line("/sys/module/amdgpu/version");
  }
  const GpuFirmware firmware =
      runtime == GpuRuntime::cuda ? nvidia_firmware(address) : amd_firmware(address);
  facts.vbios = firmware.vbios;
  facts.firmware = firmware.firmware;
  if (facts.name.empty()) facts.name = name_from_torch(index);
  facts.memory_bytes = memory_bytes(runtime, index);
  return facts;
}

}  // namespace parity::model

#include "model/torch/device.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/DeviceAccelerator.h>
#include <dlfcn.h>

#include "error/error.h"
#include "error/last_words.h"

namespace parity::model {
namespace {

/// What became of the device library: at most one try per process.
struct DeviceLibrary {
  bool tried = false;
  bool loaded = false;
  std::string problem;  ///< why there is none, as part of a sentence
};

DeviceLibrary& device_library() {
  static DeviceLibrary library;
  return library;
}

void try_to_load(DeviceLibrary& library) {
  library.tried = true;
  const std::filesystem::path folder = torch_folder();
  for (const std::string_view name : {"libtorch_cuda.so", "libtorch_hip.so"}) {
    const std::filesystem::path file = folder / name;
    std::error_code missing;
    if (!std::filesystem::exists(file, missing)) continue;
    // Global: kernels of custom libraries and torch's own plug-ins look its symbols up later.
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) {
      library.loaded = true;
      return;
    }
    const char* reason = dlerror();
    library.problem = std::string(name) + " of LibTorch does not load here (" +
                      (reason == nullptr ? "no reason given" : reason) + ")";
  }
  if (library.problem.empty()) {
    library.problem = "LibTorch in " + folder.string() +
                      " is a CPU build without libtorch_cuda.so or libtorch_hip.so";
  }
}

[[noreturn]] void refuse(const std::string& wanted, int count) {
  std::string reason;
  if (count > 0) {
    reason = "this process sees no more than that";
  } else if (!device_library().loaded) {
    reason = device_library().problem;
  } else if (!at::detail::getCUDAHooks().hasCUDART()) {
    reason = "a model was opened on the CPU first, and LibTorch does not look for devices twice";
  } else {
    reason =
        "no device is visible (driver missing, or hidden by CUDA_VISIBLE_DEVICES or "
        "HIP_VISIBLE_DEVICES)";
  }
  std::string available = "cpu";
  for (int i = 0; i < count; ++i) available += ", cuda:" + std::to_string(i);
  throw Error(ErrorKind::device, "device " + wanted + " is not there: " + reason +
                                     ". Available: " + available + "; parity doctor --device " +
                                     wanted + " says what is in the way.");
}

int parsed_index(const std::string& device) {
  static constexpr std::string_view kPrefix = "cuda:";
  if (device == "cuda") return 0;
  int index = -1;
  const char* end = device.data() + device.size();
  if (device.rfind(kPrefix, 0) == 0) {
    const auto [stop, error] = std::from_chars(device.data() + kPrefix.size(), end, index);
    if (error != std::errc() || stop != end) index = -1;
  }
  if (index < 0 || index > 127) {
    throw Error(ErrorKind::usage,
                "unknown device '" + device +
                    "': use auto, cpu, cuda or cuda:N (ROCm builds call their device cuda, too).");
  }
  return index;
}

}  // namespace

std::filesystem::path torch_folder() {
  Dl_info info{};
  // Any function of libtorch_cpu.so tells where the library in use lies.
  if (dladdr(reinterpret_cast<const void*>(&at::globalContext), &info) == 0 ||
      info.dli_fname == nullptr)
    return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

int gpu_count() {
  return at::hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount()) : 0;
}

const std::string& device_library_problem() { return device_library().problem; }

bool device_library_tried() { return device_library().tried; }

void load_device_library(const run::Settings& settings) {
  DeviceLibrary& library = device_library();
  if (settings.device == "cpu" || library.tried) return;
  const LastWords last_words("loading LibTorch's GPU library");
  try_to_load(library);
}

c10::Device resolve_device(const run::Settings& settings) {
  if (settings.device == "cpu") return c10::Device(c10::kCPU);
  load_device_library(settings);
  if (settings.device == "auto")
    return gpu_count() > 0 ? c10::Device(c10::kCUDA, 0) : c10::Device(c10::kCPU);
  const int index = parsed_index(settings.device);
  const int count = gpu_count();
  if (index >= count) refuse(settings.device, count);
  return {c10::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace parity::model

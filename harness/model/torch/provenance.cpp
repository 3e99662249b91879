// Facts about the device and the libraries below, as far as torch's device-neutral interface and
// /proc tell.
#include "run/provenance.h"

#include <fstream>
#include <string>
#include <string_view>

#include <ATen/ATen.h>
#include <ATen/Version.h>
#include <c10/core/DeviceGuard.h>
#include <torch/version.h>
#include <unistd.h>

#include "model/torch/device.h"
#include "model/torch/gpu_facts.h"
#include "model/torch/switches.h"

namespace parity::model {
namespace {

/// Value of the first line "key : value" of /proc/cpuinfo; "" when there is none.
std::string cpu_fact(std::string_view key) {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (line.rfind(key, 0) != 0 || colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? std::string() : line.substr(start);
  }
  return {};
}

/// Rest of the first line of `text` that holds `key`, from there to `stop`.
std::string found_after(const std::string& text, std::string_view key, std::string_view stop) {
  const std::size_t start = text.find(key);
  if (start == std::string::npos) return {};
  const std::size_t from = start + key.size();
  const std::size_t end = text.find_first_of(stop, from);
  return text.substr(from, end == std::string::npos ? end : end - from);
}

void add_cpu(run::Provenance& facts) {
  const std::string vendor = cpu_fact("vendor_id");
  const std::string name = cpu_fact("model name");
  facts.set("device.type", "cpu");
  facts.set("device.vendor", vendor.empty() ? "unknown" : vendor);
  facts.set("device.name", name.empty() ? "unknown CPU" : name);
  facts.set("device.arch", at::get_cpu_capability());
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_bytes > 0)
    facts.set("device.memory_bytes", std::to_string(pages * page_bytes));
}

void add_gpu(run::Provenance& facts, int index) {
  const GpuFacts gpu =
      gpu_facts(at::globalContext().hasROCM() ? GpuRuntime::hip : GpuRuntime::cuda, index);
  facts.set("device.type", "cuda");
  facts.set("device.vendor", gpu.vendor);
  facts.set("device.name", gpu.name.empty() ? "unknown " + gpu.vendor + " GPU" : gpu.name);
  facts.set("device.arch", gpu.arch.empty() ? "unknown" : gpu.arch);
  if (!gpu.driver.empty()) facts.set("device.driver", gpu.driver);
  if (!gpu.vbios.empty()) facts.set("device.vbios", gpu.vbios);
  if (!gpu.firmware.empty()) facts.set("device.firmware", gpu.firmware);
  if (gpu.memory_bytes != 0) facts.set("device.memory_bytes", std::to_string(gpu.memory_bytes));
}

void add_gpu_libraries(run::Provenance& facts) {
  const auto& hooks = at::detail::getCUDAHooks();
  const bool rocm = hooks.hasROCM();
  if (hooks.hasCUDART())
    facts.set(rocm ? "library.hip" : "library.cuda", std::to_string(hooks.versionCUDART()));
  if (hooks.compiledWithMIOpen()) {
    facts.set("library.miopen", std::to_string(hooks.versionCuDNN()));
  } else if (hooks.hasCuDNN()) {
    facts.set("library.cudnn", std::to_string(hooks.versionCuDNN()));
  }
  for (const auto& [name, version] :
       kernel_library_versions(rocm ? GpuRuntime::hip : GpuRuntime::cuda)) {
    facts.set("library." + name, version);
  }
}

void add_libraries(run::Provenance& facts, const c10::Device& device) {
  const std::string config = at::show_config();
  facts.set("library.torch", TORCH_VERSION);
  const std::string build = found_after(config, "COMMIT_SHA=", ", \n");
  if (!build.empty()) facts.set("library.torch_commit", build);
  if (device.is_cuda()) add_gpu_libraries(facts);
  if (at::hasMKL()) facts.set("library.mkl", at::get_mkl_version());
  if (at::globalContext().hasMKLDNN()) facts.set("library.mkldnn", at::get_mkldnn_version());
}

}  // namespace

run::Provenance device_provenance(const c10::Device& device, const run::Settings& settings) {
  run::Provenance facts;
  if (device.is_cpu()) {
    add_cpu(facts);
  } else {
    const c10::DeviceGuard guard(device);
    add_gpu(facts, device.index());
  }
  add_libraries(facts, device);
  facts.merge(switch_facts(device, settings));
  return facts;
}

}  // namespace parity::model

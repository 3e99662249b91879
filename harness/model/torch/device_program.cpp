// The functions of NVRTC and hipRTC, and of the two drivers, are the same but for their names.
#include "model/torch/device_program.h"

#include <filesystem>
#include <vector>

#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>

#include "error/error.h"
#include "model/torch/device.h"

namespace parity::model {

/// Status 0 is success with all of them. Handles are opaque pointers.
struct DeviceFunction::Driver {
  bool is_cuda = false;
  int (*create_program)(void** program, const char* source, const char* name, int headers,
                        const char* const* texts, const char* const* names) = nullptr;
  int (*compile_program)(void* program, int count, const char* const* options) = nullptr;
  int (*destroy_program)(void** program) = nullptr;
  int (*code_size)(void* program, std::size_t* size) = nullptr;
  int (*code)(void* program, char* code) = nullptr;
  int (*load_module)(void** module, const void* code) = nullptr;
  int (*unload_module)(void* module) = nullptr;
  int (*function_of)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned shared_bytes, void* stream, void** arguments, void** extra) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;  ///< CUDA's alone
};

namespace {

/// Looks a name up in the library and in those that it brings.
template <typename Function>
bool find(void* library, const char* name, Function& function) {
  void* const symbol = dlsym(library, name);
  function = reinterpret_cast<Function>(symbol);
  return symbol != nullptr;
}

template <typename Driver>
bool fill_cuda(void* library, Driver& driver) {
  driver.is_cuda = true;
  return find(library, "nvrtcCreateProgram", driver.create_program) &&
         find(library, "nvrtcCompileProgram", driver.compile_program) &&
         find(library, "nvrtcDestroyProgram", driver.destroy_program) &&
         find(library, "nvrtcGetCUBINSize", driver.code_size) &&
         find(library, "nvrtcGetCUBIN", driver.code) &&
         find(library, "cuModuleLoadData", driver.load_module) &&
         find(library, "cuModuleUnload", driver.unload_module) &&
         find(library, "cuModuleGetFunction", driver.function_of) &&
         find(library, "cuLaunchKernel", driver.launch) &&
         find(library, "cuDeviceGetAttribute", driver.device_attribute);
}

template <typename Driver>
bool fill_hip(void* library, Driver& driver) {
  driver.is_cuda = false;
  return find(library, "hiprtcCreateProgram", driver.create_program) &&
         find(library, "hiprtcCompileProgram", driver.compile_program) &&
         find(library, "hiprtcDestroyProgram", driver.destroy_program) &&
         find(library, "hiprtcGetCodeSize", driver.code_size) &&
         find(library, "hiprtcGetCode", driver.code) &&
         find(library, "hipModuleLoadData", driver.load_module) &&
         find(library, "hipModuleUnload", driver.unload_module) &&
         find(library, "hipModuleGetFunction", driver.function_of) &&
         find(library, "hipModuleLaunchKernel", driver.launch);
}

}  // namespace

std::unique_ptr<DeviceFunction> DeviceFunction::compile(const std::string& source,
                                                        const std::string& name,
                                                        const c10::Device& device,
                                                        std::string& problem) {
  // LibTorch links its own run-time compilation into a library that nothing else loads.
  static const std::filesystem::path file = torch_folder() / "libcaffe2_nvrtc.so";
  static void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  static Driver driver;
  static const bool complete =
      library != nullptr && (fill_cuda(library, driver) || fill_hip(library, driver));
  if (!complete) {
    problem = file.string() + " has no compiler";
    return nullptr;
  }
  const c10::DeviceGuard guard(device);
  std::vector<std::string> options;
  if (driver.is_cuda) {
    constexpr int kCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    constexpr int kCapabilityMinor = 76;
    int major = 0;
    int minor = 0;
    if (driver.device_attribute(&major, kCapabilityMajor, device.index()) != 0 ||
        driver.device_attribute(&minor, kCapabilityMinor, device.index()) != 0) {
      problem = "the driver does not say what the device can do";
      return nullptr;
    }
    // Machine code of the device itself: the driver may be older than the compiler's own form.
    options.push_back("--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor));
  }
  std::vector<const char*> option_texts;
  for (const std::string& option : options) option_texts.push_back(option.c_str());
  void* program = nullptr;
  std::vector<char> code;
  std::size_t size = 0;
  bool compiled =
      driver.create_program(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) == 0;
  if (compiled) {
    compiled = driver.compile_program(program, static_cast<int>(option_texts.size()),
                                      option_texts.data()) == 0 &&
               driver.code_size(program, &size) == 0;
    code.resize(size);
    compiled = compiled && size > 0 && driver.code(program, code.data()) == 0;
    static_cast<void>(driver.destroy_program(&program));
  }
  void* module = nullptr;
  void* function = nullptr;
  if (!compiled || driver.load_module(&module, code.data()) != 0) {
    problem = compiled ? "the driver does not load it" : "it does not compile";
    return nullptr;
  }
  if (driver.function_of(&function, module, name.c_str()) != 0) {
    static_cast<void>(driver.unload_module(module));
    problem = "the driver does not find it";
    return nullptr;
  }
  return std::unique_ptr<DeviceFunction>(new DeviceFunction(driver, module, function));
}

DeviceFunction::DeviceFunction(const Driver& driver, void* module, void* function)
    : driver_(driver), module_(module), function_(function) {}

DeviceFunction::~DeviceFunction() { static_cast<void>(driver_.unload_module(module_)); }

void DeviceFunction::launch(unsigned groups, unsigned threads, void** arguments) const {
  const int status =
      driver_.launch(function_, groups, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
  if (status != 0) {
    throw Error(ErrorKind::device, "the device refused to digest a tap (driver status " +
                                       std::to_string(status) + ")");
  }
}

}  // namespace parity::model

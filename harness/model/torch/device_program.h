// Private to model/: functions compiled for a GPU while the program runs, from source that CUDA and
// HIP read alike. Through the compiler library that LibTorch brings (NVRTC or hipRTC); knows
// nothing of what the functions do.
#pragma once

#include <array>
#include <memory>
#include <string>

#include <c10/core/Device.h>

namespace parity::model {

/// One function on one device.
class DeviceFunction {
 public:
  /// The function `name` of `source` on `device`, whose threads run in groups of 32. nullptr, with
  /// the reason in `problem`, where there is no compiler or no driver that takes it: whoever asks
  /// has another way. Takes a few tenths of a second.
  [[nodiscard]] static std::unique_ptr<DeviceFunction> compile(const std::string& source,
                                                               const std::string& name,
                                                               const c10::Device& device,
                                                               std::string& problem);
  ~DeviceFunction();
  DeviceFunction(const DeviceFunction&) = delete;
  DeviceFunction& operator=(const DeviceFunction&) = delete;

  /// Queues the function on the device's default stream; `arguments` point at the values. Throws
  /// Error(device) when the driver refuses.
  void launch(unsigned groups, unsigned threads, void** arguments) const;

 private:
  struct Driver;
  DeviceFunction(const Driver& driver, void* module, void* function);

  const Driver& driver_;
  void* module_;
  void* function_;
};

}  // namespace parity::model

// Private to model/: whether a run draws random numbers, which are others on every device and in
// every dtype whatever the seed.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace parity::model {

/// Sees what is drawn from the seeded generators of the CPU and of `device` while it lives; not
/// what comes from a generator that the model makes itself.
class RandomWatch {
 public:
  explicit RandomWatch(const c10::Device& device);
  [[nodiscard]] bool drew() const;

 private:
  c10::Device device_;
  at::Tensor host_state_;    // uint8
  at::Tensor device_state_;  // uint8; the CPU's again where `device` is the CPU
};

}  // namespace parity::model

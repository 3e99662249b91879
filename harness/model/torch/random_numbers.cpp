#include "model/torch/random_numbers.h"

#include <ATen/Context.h>
#include <ATen/ops/equal.h>
#include <ATen/record_function.h>

namespace parity::model {
namespace {

at::Tensor state_of(const c10::Device& device) {
  // The run that is watched is not the one that reads the state.
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  return at::globalContext().defaultGenerator(device).get_state();
}

}  // namespace

RandomWatch::RandomWatch(const c10::Device& device)
    : device_(device), host_state_(state_of(c10::kCPU)), device_state_(state_of(device)) {}

bool RandomWatch::drew() const {
  const at::RecordFunctionGuard silent(/*is_enabled=*/false);
  return !at::equal(host_state_, state_of(c10::kCPU)) ||
         !at::equal(device_state_, state_of(device_));
}

}  // namespace parity::model

// Private to model/: devices, numeric switches and pinned memory through torch's device-neutral interface.
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "run/provenance.h"
#include "run/settings.h"
#include "run/tap_stream.h"

namespace parity::model {

/// Loads libtorch_cuda.so or libtorch_hip.so when present. Call before the first torch call of the process.
void load_device_library();

/// The device that `settings.device` names. Throws Error(device) saying which devices there are.
[[nodiscard]] c10::Device resolve_device(const run::Settings& settings);

/// Puts the numeric switches, thread count, seed and executor settings in force for the whole process.
void apply_switches(const run::Settings& settings);

/// Facts of groups "device.", "library." and "switch." as they are in force.
[[nodiscard]] run::Provenance device_provenance(const c10::Device& device, const run::Settings& settings);

/// Pinned for a GPU, plain memory for the CPU.
[[nodiscard]] std::unique_ptr<run::HostAllocator> make_host_allocator(const c10::Device& device);

}  // namespace parity::model

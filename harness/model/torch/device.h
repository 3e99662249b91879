// Private to model/: devices, numeric switches and pinned memory through torch's device-neutral
// interface. No CUDA or HIP header: the same source serves NVIDIA, AMD and CPU builds of LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <c10/core/Device.h>

#include "run/provenance.h"
#include "run/settings.h"
#include "run/tap_stream.h"

namespace parity::model {

/// Loads libtorch_cuda.so or libtorch_hip.so from LibTorch's own folder, unless `settings.device`
/// is "cpu". Call before anything asks torch for devices: torch remembers the first answer for the
/// whole process.
void load_device_library(const run::Settings& settings);

/// Why there is no device library, as part of a sentence; "" before it was tried, or when it
/// loaded.
[[nodiscard]] const std::string& device_library_problem();

/// Whether it was loaded, or could not be.
[[nodiscard]] bool device_library_tried();

/// Folder of the LibTorch that is loaded.
[[nodiscard]] std::filesystem::path torch_folder();

/// GPUs that LibTorch sees; 0 without a device library.
[[nodiscard]] int gpu_count();

/// The device that `settings.device` names; loads the device library when needed.
/// Throws Error(usage) for a malformed name, Error(device) saying which devices there are and why
/// the one asked for is not among them.
[[nodiscard]] c10::Device resolve_device(const run::Settings& settings);

/// Puts numeric switches, thread count, executor settings and seed in force for the process, and
/// turns gradients off on this thread. Call when a model is opened and again at the start of every
/// run: another model of the same process may have been opened with other settings, and every run
/// starts from the same seed. Throws Error(usage) for a choice that this device cannot have
/// ("--sdpa efficient" on the CPU).
void apply_switches(const run::Settings& settings, const c10::Device& device);

/// Facts of groups "device.", "library." and "switch." as they are in force.
[[nodiscard]] run::Provenance device_provenance(const c10::Device& device,
                                                const run::Settings& settings);

/// Pinned for a GPU, plain memory for the CPU.
[[nodiscard]] std::unique_ptr<run::HostAllocator> make_host_allocator(const c10::Device& device);

}  // namespace parity::model

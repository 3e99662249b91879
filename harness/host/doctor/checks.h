// Every check of the doctor, each in a file of its own.
#pragma once

#include "host/doctor/view.h"

namespace parity::host {

/// Whether there are GPUs at all, and in which container this runs.
void check_machine(const View& view, run::Diagnosis& diagnosis);
/// /dev/kfd and /dev/dri/renderD*, the amdgpu driver.
void check_amd_devices(const View& view, run::Diagnosis& diagnosis);
/// /dev/nvidia*, the nvidia driver.
void check_nvidia_devices(const View& view, run::Diagnosis& diagnosis);
/// ROCm: version, tools, driver against user space.
void check_rocm(const View& view, run::Diagnosis& diagnosis);
/// CUDA: driver against the runtime that LibTorch brings.
void check_cuda(const View& view, run::Diagnosis& diagnosis);
/// LibTorch: version, build, libraries that it needs.
void check_libtorch(const View& view, run::Diagnosis& diagnosis);
/// The GPUs' architectures against those that LibTorch holds code for.
void check_gpu_code(const View& view, run::Diagnosis& diagnosis);
/// Variables that hide GPUs.
void check_visible_devices(const View& view, run::Diagnosis& diagnosis);
/// Variables that change numbers.
void check_switches(const View& view, run::Diagnosis& diagnosis);
/// HDF5, and the folder that goldens go to.
void check_storage(const View& view, run::Diagnosis& diagnosis);
/// Runs on every device, each in a process of its own.
void check_by_running(const View& view, run::Diagnosis& diagnosis);

}  // namespace parity::host

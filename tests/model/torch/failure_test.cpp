#include "model/torch/failure.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace parity::model {
namespace {

struct Row {
  std::string text;  ///< as PyTorch 2.11 has it
  Fault fault;
  ErrorKind kind;
  std::string cause;
  std::string advice;  ///< part of it
};

constexpr const char* kCudaTail =
    "\nSearch for `cudaErrorAssert' in https://docs.nvidia.com/cuda/cuda-runtime-api/ for more "
    "information.\nCUDA kernel errors might be asynchronously reported at some other API call, so "
    "the stacktrace below might be incorrect.\nFor debugging consider passing "
    "CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side "
    "assertions.\n";
constexpr const char* kHipTail =
    "\nHIP kernel errors might be asynchronously reported at some other API call, so the "
    "stacktrace below might be incorrect.\nFor debugging consider passing "
    "AMD_SERIALIZE_KERNEL=3\nCompile with `TORCH_USE_HIP_DSA` to enable device-side assertions.\n";

const std::vector<Row>& memory_rows() {
  static const std::vector<Row> kRows = {
      {"CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.80 GiB "
       "of which 1.25 GiB is free. Including non-PyTorch memory, this process has 138.55 GiB "
       "memory in use. Of the allocated memory 137.00 GiB is allocated by PyTorch, and 51.20 MiB "
       "is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try "
       "setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
       Fault::device_memory, ErrorKind::resource,
       "CUDA out of memory: 20.00 GiB wanted, 1.25 GiB of 139.80 GiB free, 137.00 GiB in this "
       "run's tensors",
       "smaller --inputs"},
      {"HIP out of memory. Tried to allocate 1.88 GiB. GPU 0 has a total capacity of 23.98 GiB of "
       "which 1.70 GiB is free. Of the allocated memory 21.65 GiB is allocated by PyTorch, and "
       "279.78 MiB is reserved by PyTorch but unallocated.",
       Fault::device_memory, ErrorKind::resource,
       "HIP out of memory: 1.88 GiB wanted, 1.70 GiB of 23.98 GiB free, 21.65 GiB in this run's "
       "tensors",
       "rocm-smi"},
      {"CUDA out of memory. Tried to allocate more than 1EB memory.", Fault::device_memory,
       ErrorKind::resource, "CUDA out of memory", "--layers"},
      {std::string("CUDA error: out of memory") + kCudaTail, Fault::device_memory,
       ErrorKind::resource, "CUDA error: out of memory", "free the device"},
      {std::string("HIP error: out of memory") + kHipTail, Fault::device_memory,
       ErrorKind::resource, "HIP error: out of memory", "free the device"},
      {"CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
       Fault::device_memory, ErrorKind::resource,
       "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "--inputs"},
      {"CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`",
       Fault::device_memory, ErrorKind::resource,
       "CUDA error: HIPBLAS_STATUS_ALLOC_FAILED when calling `hipblasCreate(handle)`", "--inputs"},
      {"cuDNN error: CUDNN_STATUS_ALLOC_FAILED", Fault::device_memory, ErrorKind::resource,
       "cuDNN error: CUDNN_STATUS_ALLOC_FAILED", "--inputs"},
      {"[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: "
       "you tried to allocate 70368744177664 bytes. Error code 12 (Cannot allocate memory)",
       Fault::host_memory, ErrorKind::resource, "out of host memory: 64.0 TiB wanted",
       "--store rows:N"},
      {"std::bad_alloc", Fault::host_memory, ErrorKind::resource, "out of host memory",
       "--store rows:N"},
      {"unable to mmap 12288 bytes from file </m.pt>: Cannot allocate memory (12)",
       Fault::host_memory, ErrorKind::resource,
       "out of host memory: unable to mmap 12288 bytes from file </m.pt>: Cannot allocate memory "
       "(12)",
       "--store rows:N"},
  };
  return kRows;
}

const std::vector<Row>& device_rows() {
  static const std::vector<Row> kRows = {
      {std::string("CUDA error: device-side assert triggered") + kCudaTail, Fault::kernel_crash,
       ErrorKind::device, "CUDA error: device-side assert triggered", "CUDA_LAUNCH_BLOCKING=1"},
      {std::string("HIP error: device-side assert triggered") + kHipTail, Fault::kernel_crash,
       ErrorKind::device, "HIP error: device-side assert triggered", "AMD_SERIALIZE_KERNEL=3"},
      {std::string("CUDA error: an illegal memory access was encountered") + kCudaTail,
       Fault::kernel_crash, ErrorKind::device,
       "CUDA error: an illegal memory access was encountered", "--device cpu"},
      {std::string("HIP error: unspecified launch failure") + kHipTail, Fault::kernel_crash,
       ErrorKind::device, "HIP error: unspecified launch failure", "AMD_SERIALIZE_KERNEL=3"},
      {std::string("HIP error: invalid device function\nSearch for "
                   "`hipErrorInvalidDeviceFunction' in https://docs.nvidia.com") +
           kHipTail,
       Fault::no_code_for_device, ErrorKind::device, "HIP error: invalid device function",
       "--offload-arch"},
      {std::string("CUDA error: no kernel image is available for execution on the device") +
           kCudaTail,
       Fault::no_code_for_device, ErrorKind::device,
       "CUDA error: no kernel image is available for execution on the device", "nvcc -arch"},
      {"Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and "
       "installed a driver from http://www.nvidia.com/Download/index.aspx",
       Fault::no_device, ErrorKind::device, "Found no NVIDIA driver on your system",
       "parity doctor"},
      {"No HIP GPUs are available", Fault::no_device, ErrorKind::device,
       "No HIP GPUs are available", "parity doctor"},
      {std::string("CUDA error: invalid device ordinal") + kCudaTail, Fault::no_device,
       ErrorKind::device, "CUDA error: invalid device ordinal", "names one"},
      {"CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
       Fault::device_error, ErrorKind::device,
       "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
       "parity doctor"},
      {"cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", Fault::device_error, ErrorKind::device,
       "cuDNN error: CUDNN_STATUS_EXECUTION_FAILED", "CUDA_LAUNCH_BLOCKING=1"},
      {"miopenStatusInternalError", Fault::device_error, ErrorKind::device,
       "miopenStatusInternalError", "AMD_SERIALIZE_KERNEL=3"},
  };
  return kRows;
}

const std::vector<Row>& model_rows() {
  const auto model = ErrorKind::model;
  static const std::vector<Row> kRows = {
      {"\"cholesky_cpu\" not implemented for 'Half'", Fault::unsupported_dtype, model,
       "\"cholesky_cpu\" not implemented for 'Half'", "--dtype keep"},
      {"Unsupported dtype BFloat16", Fault::unsupported_dtype, model, "Unsupported dtype BFloat16",
       "another dtype"},
      {"MKL FFT doesn't support tensors of type: BFloat16", Fault::unsupported_dtype, model,
       "MKL FFT doesn't support tensors of type: BFloat16", "another dtype"},
      {"CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx(...)`",
       Fault::unsupported_dtype, model,
       "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling `cublasGemmEx(...)`", "--dtype keep"},
      {"expected m1 and m2 to have the same dtype, but got: c10::Half != float", Fault::fixed_dtype,
       model, "expected m1 and m2 to have the same dtype, but got: c10::Half != float",
       "torch.jit.trace"},
      {"mat1 and mat2 must have the same dtype, but got Float and BFloat16", Fault::fixed_dtype,
       model, "mat1 and mat2 must have the same dtype, but got Float and BFloat16", "script it"},
      {"mixed dtype (CPU): expect parameter to have scalar type of Float", Fault::fixed_dtype,
       model, "mixed dtype (CPU): expect parameter to have scalar type of Float",
       "torch.export.export"},
      {"expected scalar type Half but found Float", Fault::fixed_dtype, model,
       "expected scalar type Half but found Float", "--dtype keep"},
      {"Input type (float) and bias type (c10::Half) should be the same", Fault::fixed_dtype, model,
       "Input type (float) and bias type (c10::Half) should be the same", "torch.jit.trace"},
      {"Input type (torch.HalfTensor) and weight type (torch.FloatTensor) should be the same or "
       "input should be a MKLDNN tensor and weight is a dense tensor",
       Fault::fixed_dtype, model,
       "Input type (torch.HalfTensor) and weight type (torch.FloatTensor) should be the same",
       "torch.jit.trace"},
      {"Index put requires the source and destination dtypes match, got Float for the destination "
       "and Half for the source.",
       Fault::fixed_dtype, model,
       "Index put requires the source and destination dtypes match, got Float for the destination "
       "and Half for the source",
       "torch.jit.trace"},
      {"Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same "
       "or input should be a MKLDNN tensor and weight is a dense tensor",
       Fault::fixed_device, model,
       "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same",
       "x.device"},
      {"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
       "cpu!",
       Fault::fixed_device, model,
       "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
       "cpu!",
       "torch.jit.script"},
      {"Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two "
       "shared libraries: a CPU library and a CUDA library",
       Fault::fixed_device, model, "Cannot initialize CUDA without ATen_cuda library", "x.device"},
      {"PyTorch is not linked with support for cuda devices", Fault::fixed_device, model,
       "PyTorch is not linked with support for cuda devices", ".cuda()"},
      {"Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend. This "
       "could be because the operator doesn't exist for this backend",
       Fault::fixed_device, model,
       "Could not run 'aten::empty.memory_format' with arguments from the 'CUDA' backend",
       "x.device"},
      {"Could not run 'my_ops::fused' with arguments from the 'CPU' backend. This could be because "
       "the operator doesn't exist for this backend",
       Fault::no_kernel, model,
       "Could not run 'my_ops::fused' with arguments from the 'CPU' backend",
       "docs/custom-operators.md"},
      {"Could not run 'my_ops::fused' with arguments from the 'CUDA' backend. This could be "
       "because",
       Fault::no_kernel, model,
       "Could not run 'my_ops::fused' with arguments from the 'CUDA' backend", "--library"},
      {"\nUnknown builtin op: my_ops::fused.\nCould not find any similar ops to my_ops::fused.",
       Fault::unknown_operator, model, "Unknown builtin op: my_ops::fused", "--library"},
      {"Unknown type name '__torch__.torch.classes.my_ops.Table':", Fault::unknown_operator, model,
       "Unknown type name '__torch__.torch.classes.my_ops.Table':", "--library"},
      {"\nArguments for call are not valid.\nThe following variants are available:",
       Fault::other_signature, model, "Arguments for call are not valid", "same version"},
      {"index out of range in self", Fault::bad_index, model, "index out of range in self",
       "--inputs"},
      {"No available kernel. Aborting execution.", Fault::attention_backend, model,
       "No available kernel. Aborting execution", "--sdpa math"},
      {"cumsum_cuda_kernel does not have a deterministic implementation, but you set "
       "'torch.use_deterministic_algorithms(True)'. You can turn off determinism just",
       Fault::nondeterministic, model,
       "cumsum_cuda_kernel does not have a deterministic implementation, but you set "
       "'torch.use_deterministic_algorithms(True)'",
       "without --deterministic"},
      {"mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", Fault::other, model,
       "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)", ""},
  };
  return kRows;
}

std::string in_interpreter(const std::string& text) {
  return "The following operation failed in the TorchScript interpreter.\nTraceback of "
         "TorchScript, serialized code (most recent call last):\n  File \"code/__torch__.py\", "
         "line 8, in forward\n    x: Tensor) -> Tensor:\n    y = torch.embedding(w, x)  # CUDA "
         "error: out of memory\n        ~~~~~~~~~~~~~~~ <--- HERE\n\nTraceback of TorchScript, "
         "original code (most recent call last):\n  File \"m.py\", line 3, in forward\n    return "
         "F.embedding(x, w)\n           ~~~~~~~~~~~ <--- HERE\nRuntimeError: " +
         text + "\n";
}

void expect_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    for (const std::string& text : {row.text, in_interpreter(row.text)}) {
      const Failure failure = read_failure(text);
      EXPECT_EQ(failure.fault, row.fault) << text;
      EXPECT_EQ(failure.kind, row.kind) << text;
      EXPECT_EQ(failure.cause, row.cause) << text;
      EXPECT_NE(failure.advice.find(row.advice), std::string::npos) << failure.advice;
      EXPECT_EQ(failure.advice.empty(), row.advice.empty()) << text;
    }
  }
}

TEST(Failure, OfMemoryTellsSizesAndWhatToLower) { expect_rows(memory_rows()); }
TEST(Failure, OfTheDeviceIsInfrastructure) { expect_rows(device_rows()); }
TEST(Failure, OfTheModelIsItsAuthors) { expect_rows(model_rows()); }

TEST(CodeAtFault, IsTheCallInTheModelsOwnCode) {
  EXPECT_EQ(code_at_fault(in_interpreter("x")), "torch.embedding");
  EXPECT_EQ(code_at_fault("CUDA error: out of memory"), "");
  EXPECT_EQ(code_at_fault(" <--- HERE"), "");
}

TEST(SizeText, TakesTheUnitThatFits) {
  EXPECT_EQ(size_text(8), "8 bytes");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(64.0 * 1024 * 1024 * 1024), "64.0 GiB");
}

}  // namespace
}  // namespace parity::model

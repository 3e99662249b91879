#include "host/doctor/switch_table.h"

#include <array>

namespace parity::host {
namespace {

constexpr run::Level kForces = run::Level::warning;  ///< stands above parity's own flags
constexpr run::Level kChooses = run::Level::note;    ///< other kernels, so another rounding

constexpr auto kSwitches = std::to_array<Switch>({
    {"NVIDIA_TF32_OVERRIDE", kForces, "0 ",
     "forces TF32 on in cuBLAS and cuDNN, above --fp32-precision: float32 products keep 10 "
     "fraction "
     "bits",
     "cuBLAS documentation, floating point emulation and TF32", Obeyed::on_cuda},
    {"ONEDNN_DEFAULT_FPMATH_MODE", kForces, "STRICT strict ",
     "lets oneDNN compute float32 products and convolutions of the CPU in bfloat16, float16 or "
     "TF32",
     "oneDNN documentation, floating-point math mode", Obeyed::on_cpu},
    {"DNNL_DEFAULT_FPMATH_MODE", kForces, "STRICT strict ",
     "is the older name of ONEDNN_DEFAULT_FPMATH_MODE, which stands above it",
     "oneDNN, src/common/utils.cpp", Obeyed::on_cpu},
    {"ROCBLAS_INTERNAL_FP16_ALT_IMPL", kForces, "0 ",
     "computes float16 products of MI200 in bfloat16, which keeps subnormals and loses 3 fraction "
     "bits",
     "PyTorch, numerical accuracy note", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL", kForces, "0 ",
     "does the same for float16 convolutions of MI200", "PyTorch, numerical accuracy note",
     Obeyed::on_hip},
    {"PYTORCH_TUNABLEOP_ENABLED", kForces, "0 ",
     "takes each matrix product from whichever library and algorithm was fastest in a tuning run: "
     "two hosts, or two tuning files, round differently",
     "PyTorch, TunableOp", Obeyed::on_gpu},
    {"TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", kChooses, "0 ",
     "makes TF32 the default of programs that do not choose; --fp32-precision chooses, so parity "
     "and such a program compute differently",
     "PyTorch, aten/src/ATen/Context.h", Obeyed::on_gpu},
    {"HIPBLASLT_ALLOW_TF32", kChooses, "0 ",
     "lets --fp32-precision tf32 use XF32 on MI300, in versions of PyTorch that ask for it (2.7 is "
     "the first): operands are truncated, which shows as a signed mean error",
     "PyTorch, aten/src/ATen/Context.cpp; jeffdaily/tf32_analysis", Obeyed::on_hip},
    {"PYTORCH_TUNABLEOP_TUNING", kChooses, "0 ",
     "tunes during the run: the first call of a shape may use another kernel than later ones",
     "PyTorch, TunableOp", Obeyed::on_gpu},
    {"PYTORCH_TUNABLEOP_FILENAME", kChooses, "",
     "names the file of tuned choices; it belongs beside the golden", "PyTorch, TunableOp",
     Obeyed::on_gpu},
    {"MIOPEN_FIND_MODE", kChooses, "",
     "decides how MIOpen picks a convolution's algorithm: by measuring (1 NORMAL), from its "
     "database "
     "(2 FAST), or both (3 HYBRID)",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_FIND_ENFORCE", kChooses, "1 NONE none ",
     "makes MIOpen search or renew its database: the algorithm of a convolution may change between "
     "two runs",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_USER_DB_PATH", kChooses, "",
     "takes the choice of convolution algorithms from another database",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_SYSTEM_DB_PATH", kChooses, "",
     "takes the choice of convolution algorithms from another database",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONV_WINOGRAD", kChooses, "",
     "allows or forbids Winograd convolutions, which round very differently",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONV_GEMM", kChooses, "", "allows or forbids convolutions by matrix product",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONV_FFT", kChooses, "", "allows or forbids convolutions by FFT",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONV_DIRECT", kChooses, "", "allows or forbids direct convolutions",
     "MIOpen, environment variables", Obeyed::on_hip},
    {"MIOPEN_DEBUG_CONV_IMPLICIT_GEMM", kChooses, "",
     "allows or forbids convolutions by implicit matrix product", "MIOpen, environment variables",
     Obeyed::on_hip},
    {"HIPBLASLT_TENSILE_LIBPATH", kChooses, "",
     "loads hipBLASLt's kernels from another folder than the library's own",
     "hipBLASLt, environment variables", Obeyed::on_hip},
    {"ROCBLAS_TENSILE_LIBPATH", kChooses, "",
     "loads rocBLAS's kernels from another folder than the library's own",
     "rocBLAS, environment variables", Obeyed::on_hip},
    {"ROCBLAS_USE_HIPBLASLT", kChooses, "",
     "decides whether rocBLAS hands matrix products to hipBLASLt, whose kernels round differently",
     "rocBLAS, environment variables", Obeyed::on_hip},
    {"TORCH_BLAS_PREFER_HIPBLASLT", kChooses, "",
     "sends matrix products to hipBLASLt in place of rocBLAS, and in a CUDA build to cuBLASLt",
     "PyTorch, aten/src/ATen/Context.h", Obeyed::on_gpu},
    {"TORCH_BLAS_PREFER_CUBLASLT", kChooses, "",
     "is the same under another name: both builds read both", "PyTorch, aten/src/ATen/Context.h",
     Obeyed::on_gpu},
    {"DISABLE_ADDMM_CUDA_LT", kChooses, "",
     "at 1 keeps Linear layers with a bias away from cuBLASLt or hipBLASLt, which fuse the bias; "
     "at 0 hands them to hipBLASLt on ROCm, whatever the preferred library is",
     "PyTorch, aten/src/ATen/native/cuda/Blas.cpp", Obeyed::on_gpu},
    {"DISABLE_ADDMM_HIP_LT", kChooses, "",
     "is what older ROCm builds read where DISABLE_ADDMM_CUDA_LT is not set; there only 0 lets "
     "Linear layers with a bias use hipBLASLt",
     "PyTorch 2.6, aten/src/ATen/native/cuda/Blas.cpp", Obeyed::on_hip},
    {"TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", kChooses, "0 ",
     "lets attention use flash and memory-efficient kernels on GPUs that AMD has not released them "
     "for",
     "PyTorch, aten/src/ATen/native/transformers/cuda/sdp_utils.cpp", Obeyed::on_hip},
    {"TORCH_ROCM_FA_PREFER_CK", kChooses, "0 ",
     "takes flash attention from Composable Kernel in place of AOTriton",
     "PyTorch, aten/src/ATen/Context.h", Obeyed::on_hip},
    {"PYTORCH_MIOPEN_SUGGEST_NHWC", kChooses, "0 ",
     "runs convolutions in channels-last layout, with other kernels",
     "PyTorch, aten/src/ATen/native/ConvUtils.h", Obeyed::on_hip},
    {"CUBLAS_WORKSPACE_CONFIG", kChooses, ":4096:8 :16:8 ",
     "sets cuBLAS's workspace; only :4096:8 and :16:8 make its results repeatable over streams",
     "PyTorch, reproducibility note", Obeyed::on_cuda},
    {"CUBLASLT_WORKSPACE_SIZE", kChooses, "",
     "limits the workspace by which cuBLASLt, or hipBLASLt, chooses its algorithm",
     "PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp", Obeyed::on_gpu},
    {"HIPBLASLT_WORKSPACE_SIZE", kChooses, "",
     "is what ROCm builds read where CUBLASLT_WORKSPACE_SIZE is not set",
     "PyTorch, aten/src/ATen/cuda/CublasHandlePool.cpp", Obeyed::on_hip},
    {"TORCH_CUDNN_V8_API_DISABLED", kChooses, "0 ", "uses cuDNN's older interface and choices",
     "PyTorch, CUDA environment variables", Obeyed::on_cuda},
    {"TORCH_CUDNN_USE_HEURISTIC_MODE_B", kChooses, "0 ",
     "lets cuDNN choose a convolution's algorithm by another heuristic",
     "PyTorch, aten/src/ATen/native/cudnn/Conv_v8.cpp", Obeyed::on_cuda},
    {"TORCH_CUDNN_SDPA_DEPRIORITIZED", kChooses, "0 ",
     "tries cuDNN's attention last, so other kernels run",
     "PyTorch, aten/src/ATen/native/transformers/cuda/sdp_utils.cpp", Obeyed::on_cuda},
    {"HSA_XNACK", kChooses, "0 ",
     "turns page migration on or off, for which GPUs load other code objects",
     "LLVM, user guide for AMDGPU backend", Obeyed::on_hip},
    {"ATEN_CPU_CAPABILITY", kChooses, "",
     "limits the CPU kernels to an instruction set: sums run in another order",
     "PyTorch, aten/src/ATen/native/DispatchStub.cpp", Obeyed::on_cpu},
    {"ONEDNN_MAX_CPU_ISA", kChooses, "",
     "limits oneDNN to an instruction set: sums run in another order",
     "oneDNN documentation, CPU dispatcher control", Obeyed::on_cpu},
    {"DNNL_MAX_CPU_ISA", kChooses, "",
     "limits oneDNN to an instruction set: sums run in another order",
     "oneDNN documentation, CPU dispatcher control", Obeyed::on_cpu},
    {"MKL_CBWR", kChooses, "",
     "makes MKL's sums repeatable on one kind of processor, in another order than by default",
     "Intel MKL, conditional numerical reproducibility", Obeyed::on_cpu},
    {"MKL_ENABLE_INSTRUCTIONS", kChooses, "",
     "limits MKL to an instruction set: sums run in another order",
     "Intel MKL, instruction set specific dispatching", Obeyed::on_cpu},
    {"OMP_NUM_THREADS", kChooses, "",
     "sets the CPU's threads: a sum that is split over threads rounds by their number; --threads "
     "stands above it",
     "PyTorch, CPU threading note", Obeyed::on_cpu},
    {"MKL_NUM_THREADS", kChooses, "",
     "sets MKL's threads: a sum that is split over threads rounds by their number; --threads "
     "stands "
     "above it",
     "PyTorch, CPU threading note", Obeyed::on_cpu},
});

}  // namespace

std::span<const Switch> number_switches() { return kSwitches; }

}  // namespace parity::host

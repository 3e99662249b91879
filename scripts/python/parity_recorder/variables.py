"""Environment variables that change numbers, for a device that obeys them (docs/doctor.md has what each does). The table is
that of the program's doctor, and a test holds the two against each other.
"""
import os
import re

from .xxh3 import Digest

_OBEYED = {
    "cuda": ("NVIDIA_TF32_OVERRIDE", "PYTORCH_TUNABLEOP_ENABLED", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
             "PYTORCH_TUNABLEOP_TUNING", "PYTORCH_TUNABLEOP_FILENAME", "TORCH_BLAS_PREFER_HIPBLASLT",
             "TORCH_BLAS_PREFER_CUBLASLT", "DISABLE_ADDMM_CUDA_LT", "CUBLASLT_WORKSPACE_SIZE",
             "TORCH_CUDNN_V8_API_DISABLED", "TORCH_CUDNN_USE_HEURISTIC_MODE_B", "TORCH_CUDNN_SDPA_DEPRIORITIZED"),
    "hip": ("ROCBLAS_INTERNAL_FP16_ALT_IMPL", "MIOPEN_DEBUG_CONVOLUTION_ATTRIB_FP16_ALT_IMPL",
            "PYTORCH_TUNABLEOP_ENABLED", "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE", "HIPBLASLT_ALLOW_TF32",
            "PYTORCH_TUNABLEOP_TUNING", "PYTORCH_TUNABLEOP_FILENAME", "MIOPEN_FIND_MODE", "MIOPEN_FIND_ENFORCE",
            "MIOPEN_USER_DB_PATH", "MIOPEN_SYSTEM_DB_PATH", "MIOPEN_DEBUG_CONV_WINOGRAD", "MIOPEN_DEBUG_CONV_GEMM",
            "MIOPEN_DEBUG_CONV_FFT", "MIOPEN_DEBUG_CONV_DIRECT", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM",
            "HIPBLASLT_TENSILE_LIBPATH", "ROCBLAS_TENSILE_LIBPATH", "ROCBLAS_USE_HIPBLASLT",
            "TORCH_BLAS_PREFER_HIPBLASLT", "TORCH_BLAS_PREFER_CUBLASLT", "DISABLE_ADDMM_CUDA_LT",
            "DISABLE_ADDMM_HIP_LT", "TORCH_ROCM_AOTRITON_ENABLE_EXPERIMENTAL", "TORCH_ROCM_FA_PREFER_CK",
            "PYTORCH_MIOPEN_SUGGEST_NHWC", "CUBLASLT_WORKSPACE_SIZE", "HIPBLASLT_WORKSPACE_SIZE", "HSA_XNACK",
            "HSA_OVERRIDE_GFX_VERSION"),
    "cpu": ("ONEDNN_DEFAULT_FPMATH_MODE", "DNNL_DEFAULT_FPMATH_MODE", "ATEN_CPU_CAPABILITY", "ONEDNN_MAX_CPU_ISA",
            "DNNL_MAX_CPU_ISA", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"),
}
_MIB = 1 << 20
_SAMPLE = 64 << 10


def _mark(path):
    """What is in a file, and its size; sampled beyond 64 MiB."""
    digest = Digest()
    try:
        size = os.path.getsize(path)
        whole = size <= 64 * _MIB
        with open(path, "rb") as file:
            for offset in range(0, size, _MIB):
                file.seek(offset)
                digest.update(file.read(_MIB if whole else _SAMPLE))
            if not whole:
                file.seek(size - _SAMPLE)
                digest.update(file.read(_SAMPLE))
    except OSError:
        return "unreadable"
    return f"{'xxh3' if whole else 'xxh3-sampled'} {digest.digest().hex()[:16]}, {size} bytes"


def _overrides_of_one_gpu():
    """HSA_OVERRIDE_GFX_VERSION_0 and so on, as far as they are set."""
    return sorted(name for name in os.environ if re.fullmatch(r"HSA_OVERRIDE_GFX_VERSION_\d+", name))


def facts(platform):
    """Those that are set, for "cpu", "cuda" or "hip"; `variable.set` names them."""
    found = {}
    for name in (*_OBEYED.get(platform, ()), *(_overrides_of_one_gpu() if platform == "hip" else ())):
        value = os.environ.get(name)
        if not value:
            continue
        # A file of choices decides by what is in it.
        if ("/" in value or "." in value) and os.path.isfile(value):
            value += f" ({_mark(value)})"
        found[f"variable.{name}"] = value
    return {"variable.set": " ".join(key.partition(".")[2] for key in found) or "none", **found}

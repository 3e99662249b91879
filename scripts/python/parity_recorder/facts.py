"""What a run ran on and with, as texts by the keys of golden/README.md, "Provenance". Asks torch, /proc and /sys; what they
do not tell is left out. Decides nothing.
"""
import ctypes
import os
import platform
import re
import sys

import h5py
import torch

from . import variables, version
from .xxh3 import IMPLEMENTATION

_CPU_FEATURES = ("sse4_1", "avx", "fma", "f16c", "avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16",
                 "amx_bf16", "amx_fp16", "avx_vnni", "sve", "bf16")

# Packages whose version changes numbers, where the process has loaded them.
_NUMERIC_PACKAGES = ("transformers", "vllm", "sglang", "sgl_kernel", "flash_attn", "flashinfer", "xformers", "triton",
                     "torchao", "bitsandbytes", "deepspeed", "apex", "aiter", "transformer_engine")


def _lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _first_line(path):
    lines = _lines(path)
    return lines[0].rstrip() if lines else ""


def _value_of(path, key, separator=":"):
    for line in _lines(path):
        before, found, after = line.partition(separator)
        if found and before.startswith(key):
            return after.strip(' \t"')
    return ""


def _host():
    flags = f" {_value_of('/proc/cpuinfo', 'flags') or _value_of('/proc/cpuinfo', 'Features')} "
    return {
        "host.cpu": _value_of("/proc/cpuinfo", "model name"),
        "host.cores": str(os.cpu_count()),
        "host.cpu_features": " ".join(name for name in _CPU_FEATURES if f" {name} " in flags),
        "host.kernel": _first_line("/proc/sys/kernel/osrelease"),
        "host.os": _value_of("/etc/os-release", "PRETTY_NAME", "="),
    }


def _cpu():
    return {
        "device.type": "cpu",
        "device.vendor": _value_of("/proc/cpuinfo", "vendor_id") or "unknown",
        "device.name": _value_of("/proc/cpuinfo", "model name") or "unknown CPU",
        "device.arch": torch.backends.cpu.get_cpu_capability(),
        "device.memory_bytes": str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")),
    }


def _other(device):
    """Of a kind that parity itself does not run on: what torch says."""
    name = getattr(getattr(torch, device.type, None), "get_device_name", lambda: "")
    return {"device.type": device.type, "device.vendor": "unknown", "device.name": name() or f"unknown {device.type}"}


def _pci_address(properties):
    parts = [getattr(properties, f"pci_{part}_id", None) for part in ("domain", "bus", "device")]
    return None if None in parts else "%04x:%02x:%02x.0" % tuple(parts)


def _nvidia(properties):
    information = f"/proc/driver/nvidia/gpus/{_pci_address(properties)}/information"
    words = _first_line("/proc/driver/nvidia/version").split()
    driver = [word for word in words if re.fullmatch(r"[0-9.]*\.[0-9.]*", word)]
    return {
        "device.vendor": "NVIDIA",
        "device.name": _value_of(information, "Model") or properties.name,
        "device.arch": f"sm_{properties.major}{properties.minor}",
        "device.driver": driver[0] if driver else "",
        "device.vbios": _value_of(information, "Video BIOS"),
        "device.firmware": _value_of(information, "GPU Firmware"),
    }


def _amd(properties):
    device = f"/sys/bus/pci/devices/{_pci_address(properties)}"
    units = [(unit, _first_line(f"{device}/fw_version/{unit}_fw_version"))
             for unit in ("mec", "mec2", "rlc", "sdma", "smc")]
    return {
        "device.vendor": "AMD",
        "device.name": _first_line(f"{device}/product_name") or properties.name,
        "device.arch": getattr(properties, "gcnArchName", "").partition(":")[0] or "unknown",
        "device.driver": _first_line("/sys/module/amdgpu/version"),
        "device.vbios": _first_line(f"{device}/vbios_version"),
        "device.firmware": ", ".join(f"{unit} {text}" for unit, text in units if text),
    }


def _gpu(device):
    properties = torch.cuda.get_device_properties(device)
    facts = {"device.type": "cuda", **(_amd if torch.version.hip else _nvidia)(properties)}
    facts["device.memory_bytes"] = str(torch.cuda.mem_get_info(device)[1])
    return facts


def _loaded_library(start):
    """A shared library of this process by the start of its file's name."""
    for line in _lines("/proc/self/maps"):
        path = line.rpartition(" ")[2]
        if os.path.basename(path).startswith(start):
            try:
                return ctypes.CDLL(path)
            except OSError:
                return None
    return None


def _version_by_property(library, symbol):
    get = getattr(_loaded_library(library), symbol, None)
    parts = []
    for which in range(3):
        number = ctypes.c_int(0)
        if get is None or get(which, ctypes.byref(number)) != 0:
            return ""
        parts.append(str(number.value))
    return ".".join(parts)


def _rocblas_version():
    get = getattr(_loaded_library("librocblas.so"), "rocblas_get_version_string", None)
    text = ctypes.create_string_buffer(128)
    return text.value.decode() if get is not None and get(text, ctypes.c_size_t(128)) == 0 else ""


def _gpu_libraries():
    runtime = str(torch._C._cuda_getCompiledVersion())
    deep = str(torch.backends.cudnn.version() or "")
    if torch.version.hip:
        return {"library.hip": runtime, "library.miopen": deep, "library.rocblas": _rocblas_version()}
    return {"library.cuda": runtime, "library.cudnn": deep,
            **{f"library.{name.lower()}": _version_by_property(f"lib{name.lower()}.so", f"{name}GetProperty")
               for name in ("cublas", "cublasLt", "cusparse", "cusolver", "cufft")}}


def _libraries(device):
    config = torch.__config__.show()
    built = re.search(r"COMMIT_SHA=([^,\s]+)", config)
    named = [line.strip(" -") for line in config.splitlines() if line.startswith("  - Intel(R)")]
    facts = {"library.torch": torch.__version__.partition("+")[0], "library.torch_commit": built[1] if built else ""}
    if device.type == "cuda":
        facts.update(_gpu_libraries())
    facts["library.mkl"] = next((line for line in named if "Math Kernel Library" in line), "")
    facts["library.mkldnn"] = next((line for line in named if "MKL-DNN" in line), "")
    for name in _NUMERIC_PACKAGES:
        facts[f"library.{name}"] = str(getattr(sys.modules.get(name), "__version__", ""))
    return facts


def _on_off(value):
    return "on" if value else "off"


def _fp32_precision(device, operation):
    """"ieee", "tf32" or "bf16"."""
    backends = torch.backends
    where = {("cuda", "matmul"): (backends.cuda, "matmul"), ("cuda", "conv"): (backends.cudnn, "conv"),
             ("cpu", "matmul"): (backends.mkldnn, "matmul"), ("cpu", "conv"): (backends.mkldnn, "conv")}
    owner, name = where[(device.type if device.type == "cuda" else "cpu", operation)]
    precision = getattr(getattr(owner, name, None), "fp32_precision", None)
    if precision is not None:
        return "ieee" if precision == "none" else precision  # nobody chose
    if device.type != "cuda":
        return "ieee"
    allowed = backends.cudnn.allow_tf32 if operation == "conv" else backends.cuda.matmul.allow_tf32
    return "tf32" if allowed else "ieee"


def _reduction(name):
    allowed = getattr(torch.backends.cuda.matmul, name, True)
    return "allowed" if (allowed[0] if isinstance(allowed, tuple) else allowed) else "forbidden"


def _chosen_sdpa(enabled):
    """What --sdpa of parity would have enabled the same; empty where nothing would."""
    if all(enabled.values()):
        return "default"
    chosen = [name for name, is_on in enabled.items() if is_on]
    return chosen[0] if len(chosen) == 1 and chosen != ["cudnn"] else ""


def switches(device):
    """Numeric switches in force; to be asked while the model runs, since a service may set some around it."""
    cuda = torch.backends.cuda
    sdpa = {"flash": cuda.flash_sdp_enabled(), "efficient": cuda.mem_efficient_sdp_enabled(),
            "math": cuda.math_sdp_enabled(), "cudnn": getattr(cuda, "cudnn_sdp_enabled", lambda: False)()}
    matmul, convolution = _fp32_precision(device, "matmul"), _fp32_precision(device, "conv")
    facts = {
        "switch.fp32_precision": "tf32" if "tf32" in (matmul, convolution) else "ieee",
        "switch.fp32_matmul": matmul,
        "switch.fp32_convolution": convolution,
        "switch.fp16_reduced_precision_reduction": _reduction("allow_fp16_reduced_precision_reduction"),
        "switch.bf16_reduced_precision_reduction": _reduction("allow_bf16_reduced_precision_reduction"),
        "switch.sdpa": _chosen_sdpa(sdpa),
        "switch.sdpa_enabled": " ".join(name for name, enabled in sdpa.items() if enabled),
        "switch.deterministic": _on_off(torch.are_deterministic_algorithms_enabled()),
        "switch.cudnn_benchmark": _on_off(torch.backends.cudnn.benchmark),
        "switch.threads": str(torch.get_num_threads()),
        "switch.executor": "optimise off, profiling off, fuser off",  # eager mode rewrites nothing
        "switch.gradients": _on_off(torch.is_grad_enabled()),
    }
    if device.type == "cuda" and os.environ.get("CUBLAS_WORKSPACE_CONFIG"):
        facts["switch.cublas_workspace"] = os.environ["CUBLAS_WORKSPACE_CONFIG"]
    if torch.is_autocast_enabled(device.type):
        facts["switch.autocast"] = str(torch.get_autocast_dtype(device.type)).removeprefix("torch.")
    return {key: value for key, value in facts.items() if value}


def has_compiled():
    """Whether torch.compile made code in this process, as far as torch tells."""
    counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
    return bool(counters and sum(counters.get("frames", {}).values()))


def environment(device):
    """Device, libraries and host; to be asked behind the run, when everything is loaded."""
    of_device = {"cuda": _gpu, "cpu": lambda _: _cpu()}.get(device.type, _other)
    platform_name = "hip" if device.type == "cuda" and torch.version.hip else device.type
    facts = {**of_device(device), **_libraries(device), **_host(), **variables.facts(platform_name),
             "run.recorder": f"parity_recorder {version.__version__}, Python {platform.python_version()}, "
                             f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}, digests by {IMPLEMENTATION}"}
    return {key: value for key, value in facts.items() if value}

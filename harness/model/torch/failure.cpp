// Sources of the words: PyTorch 2.11, c10/core/impl/alloc_cpu.cpp, c10/cuda (c10/hip in ROCm
// builds, where tools/amd_build turns CUDA into HIP in these very texts), ATen/native.
#include "model/torch/failure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

namespace parity::model {
namespace {

struct Row {
  std::string_view words;  ///< any of them, with "|" between two
  Fault fault;
  ErrorKind kind;
  std::string_view advice;
};

constexpr std::string_view kHostMemory =
    "use smaller --inputs, fewer taps (--layers, --skip) or a part of each (--store rows:N)";

/// The first row that has a word of the text counts: the special before the general.
constexpr auto kRows = std::to_array<Row>({
    {"No available kernel|No viable backend for scaled_dot_product_attention",
     Fault::attention_backend, ErrorKind::model,
     "this attention backend cannot run these inputs: use --sdpa default or --sdpa math"},
    {"does not have a deterministic implementation", Fault::nondeterministic, ErrorKind::model,
     "run without --deterministic"},
    {"CUDA out of memory|HIP out of memory|CUDA error: out of memory|"
     "HIP error: out of memory|CUDA driver error: out of memory|STATUS_ALLOC_FAILED|"
     "miopenStatusAllocFailed|cudaErrorMemoryAllocation|hipErrorOutOfMemory",
     Fault::device_memory, ErrorKind::resource,
     "use smaller --inputs (batch or length), fewer taps (--layers, --taps modules), another "
     "--method or, for bare weights, --stream-weights or --devices, or free the device: nvidia-smi "
     "or rocm-smi shows who holds its memory"},
    {"can't allocate memory|Cannot allocate memory|not enough memory|std::bad_alloc|"
     "out of memory|OUT_OF_MEMORY",
     Fault::host_memory, ErrorKind::resource, kHostMemory},
    {"device-side assert|illegal memory access|unspecified launch failure|"
     "misaligned address|an illegal instruction was encountered|hardware exception|"
     "launch timed out|HSA_STATUS_ERROR",
     Fault::kernel_crash, ErrorKind::device,
     "a kernel failed, often by an index out of range in the inputs, and the device reports it "
     "late: CUDA_LAUNCH_BLOCKING=1 (AMD_SERIALIZE_KERNEL=3 on ROCm) makes the op named here the "
     "one that failed, and --device cpu shows whether the inputs are at fault"},
    {"no kernel image is available|invalid device function|NoBinaryForGpu|"
     "device kernel image is invalid|STATUS_ARCH_MISMATCH",
     Fault::no_code_for_device, ErrorKind::device,
     "LibTorch, or a library given with --library, was not built for this GPU: parity doctor "
     "names its architecture; build for it with hipcc --offload-arch or nvcc -arch"},
    {"Found no NVIDIA driver|driver on your system is too old|"
     "driver version is insufficient|No CUDA GPUs are available|"
     "No HIP GPUs are available|no CUDA-capable device|no ROCm-capable device|"
     "busy or unavailable|system not yet initialized|invalid device ordinal",
     Fault::no_device, ErrorKind::device,
     "parity doctor --device cuda says what is in the way; where the run is not for a GPU, the "
     "model's code names one"},
    {"Cannot initialize CUDA without ATen_cuda|not linked with support for cuda|"
     "not compiled with CUDA|at least two devices|to be on the same device|"
     "is not on the expected device|Could not run 'aten::empty|"
     "and weight type (torch.cuda.|Input type (torch.cuda.",
     Fault::fixed_device, ErrorKind::model,
     "the model's code fixes a device, which is not the run's: export it with x.device in place "
     "of .cuda() or a device's name, by torch.jit.script or by torch.jit.trace on the device of "
     "the run"},
    {"the same dtype|same dtypes|expected scalar type|and weight type (|"
     "and bias type (|destination dtypes match|expected dtype |"
     "does not match weight dtype|Type promoting not supported|"
     "expect parameter to have scalar type",
     Fault::fixed_dtype, ErrorKind::model,
     "the model's code fixes a dtype, as a trace or an exported program does: trace or export it "
     "again in the dtype of the run (torch.jit.trace or torch.export.export on model.to(dtype) and "
     "example.to(dtype)), script it, or run with --dtype keep"},
    {"not implemented for '|Unsupported dtype|support tensors of type|"
     "STATUS_NOT_SUPPORTED|miopenStatusUnsupportedOp|miopenStatusNotImplemented",
     Fault::unsupported_dtype, ErrorKind::model,
     "this device has no kernel of the op for that dtype: use --dtype keep or another dtype"},
    {"Could not run '", Fault::no_kernel, ErrorKind::model,
     "the op has no kernel for this kind of device: where a library given with --library "
     "registers it, build that for this device, too (docs/custom-operators.md)"},
    {"Unknown builtin op|Unknown type name '__torch__.torch.classes", Fault::unknown_operator,
     ErrorKind::model, "give the library that defines it with --library"},
    {"Arguments for call are not valid", Fault::other_signature, ErrorKind::model,
     "an operator is registered with other arguments than the model was saved with: use the "
     "library, or the PyTorch, of the same version (--verbose shows both)"},
    {"index out of range in self|is out of bounds for dimension", Fault::bad_index,
     ErrorKind::model,
     "an index in --inputs, or one made from them, is beyond the table that it points into"},
    {"CUDA error|HIP error|CUDA driver error|CUBLAS_STATUS|CUDNN_STATUS|"
     "HIPBLAS_STATUS|MIOPEN_STATUS|miopenStatus|CUSOLVER_STATUS|CUSPARSE_STATUS|"
     "cudaError|hipError|NVRTC_ERROR",
     Fault::device_error, ErrorKind::device,
     "parity doctor tries the device; CUDA_LAUNCH_BLOCKING=1 (AMD_SERIALIZE_KERNEL=3 on ROCm) "
     "makes the op named here the one that failed"},
});

/// Of words with "|" between two.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool has_any(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find('|'), words.size());
    if (text.find(words.substr(0, end)) != std::string_view::npos) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(" \t\r\n.");
  return std::string(text.substr(first, last == std::string_view::npos ? 0 : last - first + 1));
}

/// Behind the interpreter's list of source lines, which are the model's own words and put the cause
/// last: "...\nRuntimeError: addmm_impl_cpu_ not implemented for 'Half'".
std::string_view cause_part(std::string_view text) {
  static constexpr std::string_view kInterpreter =
      "The following operation failed in the TorchScript interpreter";
  if (text.find(kInterpreter) == std::string_view::npos) return text;
  const std::size_t colon = text.rfind("Error: ");
  const std::size_t line = colon == std::string_view::npos ? colon : text.rfind('\n', colon);
  if (line == std::string_view::npos) return text;
  text.remove_prefix(line + 1);
  static constexpr std::string_view kRuntimeError = "RuntimeError: ";
  if (text.rfind(kRuntimeError, 0) == 0) text.remove_prefix(kRuntimeError.size());
  return text;
}

/// The rest is general: "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions" stands
/// behind every error of CUDA.
std::string_view first_line(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.substr(0, text.find('\n'));
}

/// "20.00 GiB" of "Tried to allocate 20.00 GiB. GPU 0 ...": what stands between two texts.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  const std::size_t first = start + before.size();
  const std::size_t end = text.find(after, first);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(first, end - first));
}

/// Where the caching allocator tells sizes, those; the first line otherwise.
std::string device_memory_cause(std::string_view text, std::string line) {
  const std::size_t start = text.find(" out of memory. Tried to allocate ");
  if (start == std::string_view::npos) return line;
  // One line: what the allocator says in many.
  const std::string vendor = has_any(text, "HIP out of memory") ? "HIP" : "CUDA";
  const std::string wanted = between(text, "Tried to allocate ", ". ");
  const std::string capacity = between(text, "has a total capacity of ", " of which ");
  const std::string free = between(text, " of which ", " is free");
  const std::string held = between(text, "Of the allocated memory ", " is allocated");
  std::string cause = vendor + " out of memory";
  if (!wanted.empty()) cause += ": " + wanted + " wanted";
  if (!free.empty() && !capacity.empty()) cause += ", " + free + " of " + capacity + " free";
  if (!held.empty()) cause += ", " + held + " in this run's tensors";
  return cause;
}

std::string host_memory_cause(std::string_view text, const std::string& line) {
  const std::string wanted = between(text, "you tried to allocate ", " bytes");
  double size_bytes = 0;
  const auto [end, error] =
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), size_bytes);
  if (!wanted.empty() && error == std::errc() && end == wanted.data() + wanted.size())
    return "out of host memory: " + size_text(size_bytes) + " wanted";
  const bool bare = line == "std::bad_alloc" || line == "out of memory" || line.empty();
  return bare ? "out of host memory" : "out of host memory: " + line;
}

std::string cause_in_words(Fault fault, const std::string& text) {
  std::string line = cause_of(text);
  if (fault == Fault::device_memory) return device_memory_cause(text, std::move(line));
  if (fault == Fault::host_memory) return host_memory_cause(text, line);
  return line;
}

}  // namespace

std::string size_text(double size_bytes) {
  static constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; size_bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) size_bytes /= 1024;
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s",
                                 size_bytes, kUnits.at(unit));
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

Failure read_failure(const std::string& text) {
  const std::string_view cause = first_line(cause_part(text));
  for (const Row& row : kRows) {
    if (!has_any(cause, row.words)) continue;
    return {row.fault, row.kind, cause_in_words(row.fault, text), std::string(row.advice)};
  }
  return {Fault::other, ErrorKind::model, cause_of(text), ""};
}

std::string cause_of(const std::string& text) {
  std::string_view rest = first_line(cause_part(text));
  if (rest.empty()) return "no reason given";
  // Behind these words torch gives advice for Python users and figures of its allocator.
  for (const std::string_view chatter :
       {". You can turn off determinism", ". GPU ", ". This could be because", ". PyTorch splits",
        ". Please check that", " or input should be a MKLDNN tensor"}) {
    rest = rest.substr(0, rest.find(chatter));
  }
  return trimmed(rest);
}

std::string code_at_fault(const std::string& text) {
  // "    return torch.linear(input, weight)\n           ~~~~~~~~~~~~ <--- HERE": the model's own
  // code comes first, then the Python that it was made from.
  const std::string_view whole = text;
  const std::string_view own = whole.substr(0, whole.find(", original code"));
  const std::size_t here = own.rfind(" <--- HERE");
  if (here == std::string_view::npos) return {};
  const std::size_t mark_line = own.rfind('\n', here);
  if (mark_line == std::string_view::npos || mark_line == 0) return {};
  const std::size_t code_line = own.rfind('\n', mark_line - 1);
  const std::size_t first = code_line == std::string_view::npos ? 0 : code_line + 1;
  const std::string_view code = own.substr(first, mark_line - first);
  const std::string_view marks = own.substr(mark_line + 1, here - mark_line - 1);
  const std::size_t from = marks.find('~');
  if (from == std::string_view::npos || from >= code.size()) return {};
  return trimmed(code.substr(from, marks.size() - from));
}

}  // namespace parity::model

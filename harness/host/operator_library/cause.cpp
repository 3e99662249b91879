#include "host/operator_library/cause.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>

namespace parity::host {
namespace {

constexpr auto kCudaLibraries = std::to_array<std::string_view>(
    {"libcudart.", "libcuda.", "libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver",
     "libcusparse", "libcufile", "libcupti", "libnvrtc", "libnvJitLink", "libnvToolsExt",
     "libnccl.", "libnvshmem", "libc10_cuda.", "libtorch_cuda"});
constexpr auto kHipLibraries = std::to_array<std::string_view>(
    {"libamdhip64.", "libhip", "libroc", "libMIOpen", "librccl.", "libhsa-runtime64.",
     "libamd_comgr.", "libc10_hip.", "libtorch_hip"});
/// Behind any underscores; a capital letter follows where the prefix alone is a common word.
constexpr auto kCudaSymbols = std::to_array<std::string_view>(
    {"cublas", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nvrtc", "nccl"});
constexpr auto kHipSymbols = std::to_array<std::string_view>(
    {"hipblas", "hipfft", "hiprand", "hipsolver", "hipsparse", "hiprtc", "rocblas", "rocfft",
     "rocrand", "rocsolver", "rocsparse", "miopen", "rccl", "hsa_"});

template <class Prefixes>
bool begins_with_any(std::string_view text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.rfind(prefix, 0) == 0; });
}

/// "cudaMalloc" but not "cudaric": `word` with a capital letter behind it.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
bool is_camel(std::string_view text, std::string_view word) {
  return text.size() > word.size() && text.rfind(word, 0) == 0 && text[word.size()] >= 'A' &&
         text[word.size()] <= 'Z';
}

std::string_view without_underscores(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('_'), text.size()));
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool is_of_python(const std::string& name) {
  if (name.rfind("libpython", 0) == 0 || name.rfind("libtorch_python", 0) == 0) return true;
  const std::string_view bare = without_underscores(name);
  return is_camel(bare, "Py") || bare.rfind("Py_", 0) == 0 || has(name, "8pybind11");
}

bool is_of_torch(const std::string& symbol) {
  const std::string text = demangled(symbol);
  if (text.rfind("aoti_torch_", 0) == 0) return true;
  for (const std::string_view space : {"c10::", "at::", "torch::", "caffe2::"}) {
    const std::size_t place = text.find(space);
    if (place == std::string::npos) continue;
    const auto before = static_cast<unsigned char>(place == 0 ? ' ' : text[place - 1]);
    const bool inside_word = before == '_' || before == ':' || std::isalnum(before) != 0;
    if (!inside_word) return true;
  }
  return false;
}

/// A function that takes the std::string of before 2011.
bool has_old_string(const std::string& symbol) {
  const std::string text = demangled(symbol);
  return !has(text, "__cxx11") && (has(text, "std::string") || has(text, "std::basic_string<"));
}

template <class Test>
bool any(const Unmet& unmet, const Test& test) {
  return std::any_of(unmet.libraries.begin(), unmet.libraries.end(), test) ||
         std::any_of(unmet.symbols.begin(), unmet.symbols.end(), test);
}

}  // namespace

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

bool is_of_cuda(const std::string& name) {
  const std::string_view bare = without_underscores(name);
  return begins_with_any(name, kCudaLibraries) || begins_with_any(bare, kCudaSymbols) ||
         is_camel(bare, "cuda") || is_camel(bare, "cu") || has(name, "3c104cuda") ||
         has(name, "2at4cuda");
}

bool is_of_hip(const std::string& name) {
  const std::string_view bare = without_underscores(name);
  return begins_with_any(name, kHipLibraries) || begins_with_any(bare, kHipSymbols) ||
         is_camel(bare, "hip") || has(name, "3c103hip") || has(name, "2at3hip");
}

BuiltFor built_for(const Unmet& unmet) {
  if (any(unmet, is_of_hip)) return BuiltFor::hip;
  if (any(unmet, is_of_cuda)) return BuiltFor::cuda;
  if (any(unmet, is_of_python)) return BuiltFor::python;
  std::vector<std::string> of_torch;
  std::copy_if(unmet.symbols.begin(), unmet.symbols.end(), std::back_inserter(of_torch),
               is_of_torch);
  if (of_torch.empty()) return BuiltFor::something_else;
  return std::any_of(of_torch.begin(), of_torch.end(), has_old_string) ? BuiltFor::other_abi
                                                                       : BuiltFor::other_torch;
}

}  // namespace parity::host

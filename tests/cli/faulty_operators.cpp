// The operators of fixtures/custom_op with a fault that the environment names: what GPUs, drivers
// and operator libraries do on bad days, on a machine without any.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <ATen/core/Tensor.h>
#include <torch/library.h>
#include <unistd.h>

namespace {

std::string wish(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// FAULT_AT_LOAD: "throw", "die", "exit" or "print".
int fail_at_load() {
  const std::string fault = wish("FAULT_AT_LOAD");
  if (fault == "exit") _exit(0);
  if (fault == "print") std::puts("hello from an initialiser");
  if (fault == "throw") throw std::runtime_error("no licence for these operators");
  if (fault == "die") std::raise(SIGILL);
  return 0;
}

[[maybe_unused]] const int loaded = fail_at_load();

/// FAULT_AT_END: "die".
struct AtEnd {
  ~AtEnd() {
    if (wish("FAULT_AT_END") == "die") std::raise(SIGSEGV);
  }
};
[[maybe_unused]] const AtEnd at_end;

/// FAULT: "abort", "segv", or the text of a torch error.
at::Tensor gated_silu(const at::Tensor& gate, const at::Tensor& /*up*/) {
  const std::string fault = wish("FAULT");
  if (fault == "abort") std::abort();
  if (fault == "segv") std::raise(SIGSEGV);
  if (fault == "print") {
    std::puts("hello from an operator");
    return gate;
  }
  TORCH_CHECK(fault.empty(), fault);
  return gate;
}

}  // namespace

TORCH_LIBRARY(parity_example, library) {
  library.def("gated_silu(Tensor gate, Tensor up) -> Tensor");
}

TORCH_LIBRARY_IMPL(parity_example, CPU, library) {
  library.impl("gated_silu", TORCH_FN(gated_silu));
}

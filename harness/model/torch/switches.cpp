#include "model/torch/switches.h"

#include <cstdlib>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/jit/passes/tensorexpr_fuser.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include "error/error.h"
#include "model/torch/device.h"

namespace parity::model {
namespace {

using run::Fp32Precision;
using run::Sdpa;

/// LibTorch gained setFloat32Precision after 2.6 and has since changed its arguments from strings
/// to enumerations. Only the members' own types are named here, so that every version compiles.
struct PrecisionSwitches {
  template <class Backend, class Op, class Value>
  static void set(at::Context& context, void (at::Context::*member)(Backend, Op, Value),
                  Fp32Precision precision) {
    if constexpr (std::is_enum_v<Backend>) {
      const Value value = precision == Fp32Precision::tf32 ? Value::TF32 : Value::IEEE;
      for (const Backend backend : {Backend::CUDA, Backend::MKLDNN}) {
        for (const Op op : {Op::CONV, Op::RNN, Op::MATMUL}) (context.*member)(backend, op, value);
      }
    } else {
      const std::string value = precision == Fp32Precision::tf32 ? "tf32" : "ieee";
      for (const char* backend : {"cuda", "mkldnn"}) {
        for (const char* op : {"conv", "rnn", "matmul"}) (context.*member)(backend, op, value);
      }
    }
  }

  /// "ieee", "tf32", "bf16" or "none" of `op` ("matmul", "conv") on the device's backend.
  template <class Precision, class Backend, class Op>
  static std::string get(const at::Context& context,
                         Precision (at::Context::*member)(Backend, Op) const, bool gpu,
                         const std::string& op) {
    if constexpr (std::is_enum_v<Precision>) {
      const auto backend = gpu ? std::decay_t<Backend>::CUDA : std::decay_t<Backend>::MKLDNN;
      const auto value = (context.*member)(
          backend, op == "conv" ? std::decay_t<Op>::CONV : std::decay_t<Op>::MATMUL);
      return value == Precision::IEEE   ? "ieee"
             : value == Precision::TF32 ? "tf32"
             : value == Precision::BF16 ? "bf16"
                                        : "none";
    } else {
      return (context.*member)(gpu ? "cuda" : "mkldnn", op);
    }
  }
};

template <class Context>
void set_fp32_precision(Context& context, Fp32Precision precision) {
  const bool tf32 = precision == Fp32Precision::tf32;
  if constexpr (requires { &Context::setFloat32Precision; }) {
    // Older entry points ask for both answers to agree, so the older switch is set first.
    context.setFloat32MatmulPrecision(tf32 ? "high" : "highest");
    PrecisionSwitches::set(context, &Context::setFloat32Precision, precision);
  } else {
    context.setAllowTF32CuBLAS(tf32);
    context.setAllowTF32CuDNN(tf32);
  }
}

template <class Context>
std::string fp32_precision_of(const Context& context, bool gpu, const std::string& op) {
  if constexpr (requires { &Context::float32Precision; }) {
    return PrecisionSwitches::get(context, &Context::float32Precision, gpu, op);
  } else {
    if (!gpu) return "ieee";
    return (op == "conv" ? context.allowTF32CuDNN() : context.allowTF32CuBLAS()) ? "tf32" : "ieee";
  }
}

void set_sdpa(at::Context& context, Sdpa sdpa, const c10::Device& device) {
  if (sdpa == Sdpa::efficient && device.is_cpu()) {
    throw Error(ErrorKind::usage,
                "--sdpa efficient needs a GPU: the CPU has no such kernel; use --sdpa math, flash "
                "or default.");
  }
  const bool free_choice = sdpa == Sdpa::default_choice;
  context.setSDPUseMath(free_choice || sdpa == Sdpa::math);
  context.setSDPUseFlash(free_choice || sdpa == Sdpa::flash);
  context.setSDPUseMemEfficient(free_choice || sdpa == Sdpa::efficient);
  context.setSDPUseCuDNN(free_choice);
  context.setSDPUseOverrideable(free_choice);
}

void set_determinism(at::Context& context, run::Determinism determinism) {
  const bool on = determinism == run::Determinism::on;
  // cuBLAS is deterministic only with a fixed workspace, which it takes from the environment at its
  // first use.
  static constexpr int kKeepUsersChoice = 0;
  if (on) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", kKeepUsersChoice);
  context.setDeterministicAlgorithms(on, /*warn_only=*/false);
  context.setDeterministicCuDNN(on);
  context.setDeterministicMkldnn(on);
  // Autotuning picks kernels by their speed on that day.
  context.setBenchmarkCuDNN(false);
}

/// A run must not depend on how often the model ran before: no profiling runs, no fusion.
void fix_executor() {
  torch::jit::getExecutorMode() = false;
  torch::jit::getProfilingMode() = false;
  torch::jit::setGraphExecutorOptimize(false);
  torch::jit::setTensorExprFuserEnabled(false);
}

std::string on_off(bool value) { return value ? "on" : "off"; }

/// Reduced-precision accumulation inside 16-bit matmuls was a bool before it became an enumeration
/// whose first value means allowed.
template <class Option>
std::string reduction_text(Option option) {
  if constexpr (std::is_same_v<Option, bool>) {
    return option ? "allowed" : "forbidden";
  } else {
    return static_cast<int>(option) == 0 ? "allowed" : "forbidden";
  }
}

std::string sdpa_in_force(const at::Context& context) {
  std::string text;
  const auto add = [&](bool enabled, const char* name) {
    if (enabled) text.append(text.empty() ? "" : " ").append(name);
  };
  add(context.userEnabledFlashSDP(), "flash");
  add(context.userEnabledMemEfficientSDP(), "efficient");
  add(context.userEnabledMathSDP(), "math");
  add(context.userEnabledCuDNNSDP(), "cudnn");
  return text;
}

std::string executor_in_force() {
  return "optimise " + on_off(torch::jit::getGraphExecutorOptimize()) + ", profiling " +
         on_off(torch::jit::getProfilingMode()) + ", fuser " +
         on_off(torch::jit::tensorExprFuserEnabled());
}

}  // namespace

void put_fp32_precision(Fp32Precision precision) {
  set_fp32_precision(at::globalContext(), precision);
}

void apply_switches(const run::Settings& settings, const c10::Device& device) {
  at::Context& context = at::globalContext();
  set_fp32_precision(context, settings.fp32_precision);
  set_sdpa(context, settings.sdpa, device);
  set_determinism(context, settings.deterministic);
  fix_executor();
  static const int kLibraryChoice = at::get_num_threads();
  at::set_num_threads(settings.threads > 0 ? settings.threads : kLibraryChoice);
  // Inference mode would make tensors that forget their versions, by which a write into a weight is
  // noticed.
  at::GradMode::set_enabled(false);
  at::manual_seed(settings.seed);
}

run::Provenance switch_facts(const c10::Device& device, const run::Settings& settings) {
  const at::Context& context = at::globalContext();
  run::Provenance facts;
  facts.set("switch.fp32_precision", run::to_string(settings.fp32_precision));
  facts.set("switch.fp32_matmul", fp32_precision_of(context, device.is_cuda(), "matmul"));
  facts.set("switch.fp32_convolution", fp32_precision_of(context, device.is_cuda(), "conv"));
  facts.set("switch.fp16_reduced_precision_reduction",
            reduction_text(context.allowFP16ReductionCuBLAS()));
  facts.set("switch.bf16_reduced_precision_reduction",
            reduction_text(context.allowBF16ReductionCuBLAS()));
  facts.set("switch.sdpa", run::to_string(settings.sdpa));
  facts.set("switch.sdpa_enabled", sdpa_in_force(context));
  facts.set("switch.deterministic", on_off(context.deterministicAlgorithms()));
  const char* workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  if (device.is_cuda() && workspace != nullptr) facts.set("switch.cublas_workspace", workspace);
  facts.set("switch.cudnn_benchmark", on_off(context.benchmarkCuDNN()));
  facts.set("switch.threads", std::to_string(at::get_num_threads()));
  facts.set("switch.executor", executor_in_force());
  facts.set("switch.gradients", on_off(at::GradMode::is_enabled()));
  return facts;
}

}  // namespace parity::model

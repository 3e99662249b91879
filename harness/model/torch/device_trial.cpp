// The trial of a device, with operators whose right results are known beforehand: no model, no
// random numbers, no vendor header.
#include <chrono>
#include <cmath>
#include <cstring>
#include <sstream>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <torch/version.h>

#include "model/torch/device.h"
#include "model/torch/entries.h"
#include "model/torch/guard.h"
#include "model/torch/switches.h"

namespace parity::model {
namespace {

using Clock = std::chrono::steady_clock;

void step(const run::Say& say, const std::string& name) { say(std::string(run::kStep) + name); }

void fact(const run::Say& say, std::string_view key, const std::string& value) {
  say(std::string(run::kFact) + std::string(key) + " " + value);
}

void figure(const run::Say& say, std::string_view key, double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  fact(say, key, text.str());
}

void wrong(const run::Say& say, const std::string& text) { say(std::string(run::kWrong) + text); }

/// Until the current stream of the device has done all its work.
void wait_for(const c10::Device& device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl guard(device.type());
  guard.synchronizeStream(guard.getStream(device));
}

/// Small integers, the same everywhere: no random numbers, so that no generator can be at fault.
at::Tensor integers(at::IntArrayRef shape, int modulus, at::ScalarType dtype) {
  const at::Tensor counted = at::arange(c10::multiply_integers(shape), at::kLong);
  return (counted.mul(7).remainder(modulus).sub(modulus / 2)).to(dtype).view(shape);
}

/// Products of integers up to 3 over 256 terms stay below 2^24 in float32 and below 2^11 in
/// float16: exact in any order and with any accumulator, so every bit must be right.
void try_matmul(const c10::Device& device, at::ScalarType dtype, const char* name,
                const run::Say& say) {
  step(say, std::string("matmul in ") + name);
  const at::Tensor a = integers({128, 64}, 5, dtype);
  const at::Tensor b = integers({64, 128}, 7, dtype);
  const at::Tensor expected = a.to(at::kLong).unsqueeze(2).mul(b.to(at::kLong).unsqueeze(0)).sum(1);
  const at::Tensor got = at::matmul(a.to(device), b.to(device)).cpu().to(at::kLong);
  const auto differing = got.ne(expected).sum().item<std::int64_t>();
  if (differing == 0) return;
  wrong(say, "matmul in " + std::string(name) + ": " + std::to_string(differing) + " of " +
                 std::to_string(expected.numel()) +
                 " elements of a product of small integers are wrong; it is exact in any order");
}

void try_softmax(const c10::Device& device, const run::Say& say) {
  step(say, "softmax");
  const at::Tensor input = integers({64, 1000}, 13, at::kFloat);
  const at::Tensor sums = at::softmax(input.to(device), -1).sum(-1).cpu();
  const double off = sums.sub(1).abs().max().item<double>();
  if (!(off <= 1e-5)) {
    std::ostringstream text;
    text << "softmax: a row sums to " << sums.flatten()[sums.sub(1).abs().argmax()].item<double>()
         << " instead of 1";
    wrong(say, text.str());
  }
}

void try_attention(const c10::Device& device, const run::Say& say) {
  step(say, "attention");
  const auto part = [&](int modulus) {
    return integers({2, 4, 64, 64}, modulus, at::kFloat).div(16);
  };
  const at::Tensor q = part(5);
  const at::Tensor k = part(7);
  const at::Tensor v = part(11);
  const at::Tensor scores = at::softmax(at::matmul(q, k.transpose(-2, -1)).div(8), -1);
  const at::Tensor expected = at::matmul(scores, v);
  const at::Tensor got =
      at::scaled_dot_product_attention(q.to(device), k.to(device), v.to(device)).cpu();
  const double off = got.sub(expected).abs().max().item<double>();
  if (!(off <= 1e-4)) {
    wrong(say, "attention: off by " + std::to_string(off) + " from the CPU's, at values up to 0.3");
  }
}

bool same_bytes(const at::Tensor& one, const at::Tensor& other) {
  return one.nbytes() == other.nbytes() &&
         std::memcmp(one.data_ptr(), other.data_ptr(), one.nbytes()) == 0;
}

constexpr std::int64_t kCopyBytes = std::int64_t{64} << 20;

/// Best of three, in GB/s: the first touches pages and wakes the link up.
double rate_of(const std::function<void()>& copy) {
  double best_s = 1e9;
  for (int i = 0; i < 3; ++i) {
    const Clock::time_point start = Clock::now();
    copy();
    best_s = std::min(best_s, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return static_cast<double>(kCopyBytes) / best_s / 1e9;
}

void try_copies(const c10::Device& device, const run::Say& say) {
  step(say, "copy with pageable memory");
  const at::Tensor source = integers({kCopyBytes / 4}, 1009, at::kInt);
  const at::Tensor on_device = source.to(device);
  at::Tensor pageable = at::empty_like(source);
  const double pageable_rate = rate_of([&] { pageable.copy_(on_device); });
  if (!same_bytes(pageable, source)) wrong(say, "copy with pageable memory: other bytes come back");
  step(say, "copy with pinned memory");
  at::Tensor pinned = at::empty({source.numel()}, source.options().pinned_memory(true));
  const double pinned_rate = rate_of([&] {
    pinned.copy_(on_device, /*non_blocking=*/true);
    wait_for(device);
  });
  if (!same_bytes(pinned, source)) wrong(say, "copy with pinned memory: other bytes come back");
  figure(say, run::kPageableRate, pageable_rate);
  figure(say, run::kPinnedRate, pinned_rate);
}

/// Time of work and copies, each on a stream of its own, against one behind the other.
class OverlapTrial {
 public:
  explicit OverlapTrial(const c10::Device& device)
      : device_(device),
        guard_(device.type()),
        other_(guard_.getStreamFromGlobalPool(device)),
        matrix_(at::ones({kSide, kSide}, at::TensorOptions().device(device))),
        product_(at::empty_like(matrix_)),
        data_(at::ones({kCopyBytes / 4}, at::TensorOptions().device(device))),
        host_(at::empty({kCopyBytes / 4}, at::TensorOptions().pinned_memory(true))) {}

  /// As many products as take about as long as the copy.
  void balance() {
    const double copy_s = timed([&] { copy(); });
    const double work_s = timed([&] { work(8); });
    products_ = std::max(1, static_cast<int>(std::lround(8 * copy_s / work_s)));
  }
  [[nodiscard]] double serial_s() {
    return timed([&] {
      work(products_);
      copy();
    });
  }
  [[nodiscard]] double overlapped_s() {
    return timed([&] {
      {
        const c10::StreamGuard on_other(other_);
        copy();
      }
      // Behind the copy: handing out work takes time itself, in which the copy can run already.
      work(products_);
    });
  }

 private:
  static constexpr std::int64_t kSide = 2048;  // long enough to hide the launch of the next one

  void copy() { host_.copy_(data_, /*non_blocking=*/true); }
  void work(int products) {
    for (int i = 0; i < products; ++i) at::matmul_out(product_, matrix_, matrix_);
  }
  double timed(const std::function<void()>& body) {
    double best_s = 1e9;
    for (int i = 0; i < 3; ++i) {
      wait_for(device_);
      const Clock::time_point start = Clock::now();
      body();
      wait_for(device_);
      guard_.synchronizeStream(other_);
      best_s = std::min(best_s, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best_s;
  }

  c10::Device device_;
  c10::impl::VirtualGuardImpl guard_;
  c10::Stream other_;
  at::Tensor matrix_;
  at::Tensor product_;
  at::Tensor data_;
  at::Tensor host_;
  int products_ = 1;
};

void try_overlap(const c10::Device& device, const run::Say& say) {
  step(say, "copy beside work");
  OverlapTrial trial(device);
  trial.balance();
  const double serial_s = trial.serial_s();
  figure(say, run::kOverlap, trial.overlapped_s() / serial_s);
}

/// What the runtime itself says of its devices; "" when it has no complaint or is not there.
std::string runtime_problem() {
  for (const std::string vendor : {"cuda", "hip"}) {
    auto* count =
        reinterpret_cast<int (*)(int*)>(dlsym(RTLD_DEFAULT, (vendor + "GetDeviceCount").c_str()));
    auto* text = reinterpret_cast<const char* (*)(int)>(
        dlsym(RTLD_DEFAULT, (vendor + "GetErrorString").c_str()));
    int devices = 0;
    if (count == nullptr) continue;
    const int error = count(&devices);
    if (error == 0) return devices == 0 ? "it counts no device" : "";
    return vendor + " error " + std::to_string(error) + ": " +
           (text == nullptr ? "no text" : text(error));
  }
  return "";
}

}  // namespace

namespace entry {

void count_devices(const run::Say& say) {
  step(say, "loading the device library");
  run::Settings settings;
  load_device_library(settings);
  if (!device_library_problem().empty()) fact(say, run::kLibraryProblem, device_library_problem());
  step(say, "counting devices");
  const int count = gpu_count();
  const std::string problem = count == 0 ? runtime_problem() : "";
  if (!problem.empty()) fact(say, run::kRuntimeProblem, problem);
  fact(say, run::kDeviceCount, std::to_string(count));
  say(std::string(run::kDone));
}

void try_device(const std::string& name, const run::Say& say) {
  run::Settings settings;
  settings.device = name;
  step(say, "opening the device");
  const c10::Device device = resolve_device(settings);
  apply_switches(settings, device);
  const run::Provenance facts = device_provenance(device, settings);
  for (const auto& [key, value] : facts.facts()) fact(say, key, value);
  const c10::OptionalDeviceGuard guard(device.is_cpu() ? std::nullopt
                                                       : std::optional<c10::Device>(device));
  with_torch_errors("trying " + name, [&] {
    try_matmul(device, at::kFloat, "float32", say);
    try_matmul(device, at::kBFloat16, "bfloat16", say);
    if (!device.is_cpu()) try_matmul(device, at::kHalf, "float16", say);
    try_softmax(device, say);
    try_attention(device, say);
    if (device.is_cpu()) return;
    try_copies(device, say);
    try_overlap(device, say);
  });
}

TorchLibrary torch_library() { return {torch_folder(), TORCH_VERSION}; }

}  // namespace entry

}  // namespace parity::model

#include "model/torch/device_digest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "error/error.h"
#include "model/torch/device_program.h"
#include "model/torch/guard.h"
#include "tensor/block_digest.h"

namespace parity::model {
namespace {

/// Below this, copying a tensor costs no more than launching for it.
constexpr std::size_t kSmallestBytes = std::size_t{256} << 10U;
/// Tensors are read 16 bytes at a time.
constexpr std::size_t kAlignment = 16;

/// 32 threads sum a block of 1024 bytes: each has two neighbouring lanes in two stripes, and eight
/// of them are added up.
constexpr const char* kSource = R"(
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
typedef unsigned long long word;
struct __align__(16) Pair { word first; word second; };
__device__ const word keys[23] = {KEYS};

#if defined(__HIP__) || defined(__HIPCC__) || defined(__HIPCC_RTC__) || defined(__HIP_PLATFORM_AMD__)
#define PARITY_SHUFFLE(value, lane) __shfl_xor(value, lane, 32)
#else
#define PARITY_SHUFFLE(value, lane) __shfl_xor_sync(0xffffffffu, value, lane)
#endif

__device__ void add(const Pair value, int stripe, int lane, word& first, word& second) {
  const word a = value.first ^ keys[stripe + lane];
  const word b = value.second ^ keys[stripe + lane + 1];
  first += value.second + (a & 0xffffffffull) * (a >> 32);
  second += value.first + (b & 0xffffffffull) * (b >> 32);
}

extern "C" __global__ void block_sums(const Pair* data, word blocks, word tail_first,
                                      word tail_bytes, Pair* sums) {
  const int thread = threadIdx.x % 32;
  const int lane = 2 * (thread % 4);
  const int stripe = thread / 4;
  const word groups = (word)gridDim.x * (blockDim.x / 32);
  for (word block = (word)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; block < blocks;
       block += groups) {
    word first = 0;
    word second = 0;
    add(data[block * 64 + thread], stripe, lane, first, second);
    add(data[block * 64 + 32 + thread], stripe + 8, lane, first, second);
    for (int other = 4; other < 32; other *= 2) {
      first += PARITY_SHUFFLE(first, other);
      second += PARITY_SHUFFLE(second, other);
    }
    if (stripe == 0) {
      Pair sum;
      sum.first = first;
      sum.second = second;
      sums[block * 4 + thread] = sum;
    }
  }
  if (blockIdx.x == 0) {
    const unsigned char* from = (const unsigned char*)data + tail_first;
    unsigned char* to = (unsigned char*)(sums + blocks * 4);
    for (word i = threadIdx.x; i < tail_bytes; i += blockDim.x) to[i] = from[i];
  }
}
)";

std::string source() {
  std::string keys;
  for (const std::uint64_t key : tensor::digest_block_keys()) keys += std::to_string(key) + "ull, ";
  std::string text = kSource;
  return text.replace(text.find("KEYS"), 4, keys);
}

at::Tensor sums_by(const DeviceFunction& function, const at::Tensor& bytes, std::size_t length) {
  const tensor::BlockSumLayout layout = tensor::block_sum_layout(length);
  const at::Tensor sums =
      at::empty({static_cast<std::int64_t>(layout.size_bytes())}, bytes.options().dtype(at::kByte));
  const void* data = bytes.data_ptr();
  void* to = sums.data_ptr();
  unsigned long long blocks = layout.blocks;
  unsigned long long tail_first = layout.tail_first;
  unsigned long long tail_bytes = layout.tail_bytes;
  std::array<void*, 5> arguments = {&data, &blocks, &tail_first, &tail_bytes, &to};
  constexpr unsigned kThreads = 256;
  constexpr unsigned long long kMostGroups = 4096;
  const unsigned long long groups = (blocks + kThreads / 32 - 1) / (kThreads / 32);
  function.launch(static_cast<unsigned>(std::clamp(groups, 1ULL, kMostGroups)), kThreads,
                  arguments.data());
  return sums;
}

/// The function of one device once it has been found to give the digest that the host gives.
std::unique_ptr<DeviceFunction> tried_function(const c10::Device& device, std::string& problem) {
  std::unique_ptr<DeviceFunction> function =
      DeviceFunction::compile(source(), "block_sums", device, problem);
  if (function == nullptr) return nullptr;
  const at::Tensor known =
      at::arange(100'003, at::kInt).mul(-1'640'531'527).view(at::kByte).slice(0, 0, 400'005);
  const auto length = static_cast<std::size_t>(known.numel());
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(known.data_ptr()), length);
  const at::Tensor sums = sums_by(*function, known.to(device), length).cpu();
  const std::span<const std::byte> found(static_cast<const std::byte*>(sums.data_ptr()),
                                         sums.nbytes());
  if (tensor::digest_of_sums(found, length) != tensor::digest_of(bytes)) {
    problem = "of known bytes it gives another digest than the host";
    return nullptr;
  }
  return function;
}

/// nullptr where it does not work: taps are digested on the host then.
const DeviceFunction* function_of(const c10::Device& device) {
  constexpr std::size_t kDevices = 128;
  struct Tried {
    bool done = false;
    std::unique_ptr<DeviceFunction> function;
  };
  // Never taken down: the driver may be gone before this would be.
  static auto& tried = *new std::array<Tried, kDevices>();
  const auto index = static_cast<std::size_t>(device.index());
  if (index >= kDevices) return nullptr;
  if (!tried[index].done) {
    std::string problem;
    try {
      tried[index].function = tried_function(device, problem);
    } catch (const c10::OutOfMemoryError&) {
      return nullptr;  // perhaps at the next tap
    } catch (const std::exception& error) {
      problem = text_of(error);
    }
    tried[index].done = true;
    if (!problem.empty()) {
      TORCH_WARN("Taps are digested on the host, which takes longer: the function that digests on ",
                 device.str(), " cannot be used (", problem, ").");
    }
  }
  return tried[index].function.get();
}

}  // namespace

bool digests_on_device(const at::Tensor& tensor) {
  if (!tensor.is_cuda() || tensor.nbytes() < kSmallestBytes) return false;
  const c10::impl::VirtualGuardImpl device(tensor.device().type());
  // The default stream is the one whose handle is the same everywhere: none.
  if (device.getStream(tensor.device()) != device.getDefaultStream(tensor.device())) return false;
  const c10::DeviceGuard guard(tensor.device());
  return function_of(tensor.device()) != nullptr;
}

at::Tensor device_block_sums(const at::Tensor& tensor) {
  const c10::DeviceGuard guard(tensor.device());
  at::Tensor values = tensor.resolve_conj().resolve_neg().contiguous();
  if (reinterpret_cast<std::uintptr_t>(values.data_ptr()) % kAlignment != 0)
    values = values.clone(at::MemoryFormat::Contiguous);
  const DeviceFunction* const function = function_of(tensor.device());
  PARITY_CHECK(function != nullptr);
  return sums_by(*function, values, values.nbytes());
}

}  // namespace parity::model

// Speed of one comparison on one core beside plain reads of the same buffers, in bytes of both
// sides per second.
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "bench/compare/plain_read.h"
#include <benchmark/benchmark.h>

#include "compare/compare_tensors.h"
#include "tensor/dtype.h"

namespace {

using parity::compare::Candidate;
using parity::compare::CompareOptions;
using parity::compare::Reference;
using parity::tensor::DType;
using parity::tensor::TensorView;

enum class Data : std::uint8_t { identical, one_ulp, matmul_noise, some_nan };

constexpr std::size_t kSideBytes = std::size_t{128} << 20U;

struct Sides {
  std::vector<std::byte> reference;
  std::vector<std::byte> candidate;
};

/// Gaussian values as the dtype's bits; the candidate's error as `data` says.
template <typename Bits, typename Encode>
Sides made_sides(Data data, Encode encode) {
  const std::size_t count = kSideBytes / sizeof(Bits);
  Sides sides{std::vector<std::byte>(kSideBytes), std::vector<std::byte>(kSideBytes)};
  std::minstd_rand random(1);
  std::vector<double> pool(std::size_t{1} << 16U);
  std::normal_distribution<double> normal;
  for (double& value : pool) value = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = static_cast<std::uint32_t>(random());
    const double value = pool[draw % pool.size()] * (1 + static_cast<double>(i % 1000) * 1e-4);
    const Bits reference = encode(value);
    Bits candidate = reference;
    if (data == Data::one_ulp) candidate = static_cast<Bits>(reference + (draw >> 16U) % 2);
    if (data == Data::matmul_noise) {
      constexpr double kRounding = sizeof(Bits) == 2 ? 4e-3 : 4e-7;
      candidate = encode(value + kRounding * pool[(draw >> 8U) % pool.size()]);
    }
    if (data == Data::some_nan && i % 100000 == 0)
      candidate = encode(std::numeric_limits<double>::quiet_NaN());
    std::memcpy(sides.reference.data() + i * sizeof(Bits), &reference, sizeof(Bits));
    std::memcpy(sides.candidate.data() + i * sizeof(Bits), &candidate, sizeof(Bits));
  }
  return sides;
}

std::uint32_t float_bits(double value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}
std::uint64_t double_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint16_t bfloat16_bits(double value) {
  return static_cast<std::uint16_t>(float_bits(value) >> 16U);
}
/// Truncating; the few values near zero become 2^-13, so that all are normal numbers.
std::uint16_t float16_bits(double value) {
  const std::uint32_t bits = float_bits(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude > 0x7F800000U) return 0x7E00;
  if (magnitude < 0x39000000U) return static_cast<std::uint16_t>(sign | 0x0800U);
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U) >> 13U));
}

Sides made_sides(DType dtype, Data data) {
  switch (dtype) {
    case DType::bfloat16:
      return made_sides<std::uint16_t>(data, bfloat16_bits);
    case DType::float16:
      return made_sides<std::uint16_t>(data, float16_bits);
    case DType::float64:
      return made_sides<std::uint64_t>(data, double_bits);
    default:
      return made_sides<std::uint32_t>(data, float_bits);
  }
}

void set_rate(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * 2 *
                          static_cast<std::int64_t>(kSideBytes));
}

void plain_read(benchmark::State& state) {
  const Sides sides = made_sides(DType::float32, Data::one_ulp);
  for (auto step : state) {
    benchmark::DoNotOptimize(parity::bench::read_both(sides.reference, sides.candidate));
  }
  set_rate(state);
}

void compare(benchmark::State& state, DType dtype, Data data, int threads) {
  const Sides sides = made_sides(dtype, data);
  const auto count = static_cast<std::int64_t>(kSideBytes / parity::tensor::size_bytes(dtype));
  const TensorView reference{dtype, {count / 1024, 1024}, sides.reference};
  const TensorView candidate{dtype, {count / 1024, 1024}, sides.candidate};
  CompareOptions options;
  options.threads = threads;
  // Nothing outside, as in a passing gate, but for the NaN rows.
  options.element_bound = {0, 1};
  for (auto step : state) {
    benchmark::DoNotOptimize(
        parity::compare::compare_tensors(Reference{reference}, Candidate{candidate}, options));
  }
  set_rate(state);
}

void register_all() {
  benchmark::RegisterBenchmark("plain_read", plain_read)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  struct Named {
    const char* name;
    Data data;
  };
  constexpr Named kData[] = {{"identical", Data::identical},
                             {"one_ulp", Data::one_ulp},
                             {"matmul_noise", Data::matmul_noise},
                             {"some_nan", Data::some_nan}};
  for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16, DType::float64}) {
    for (const Named& named : kData) {
      const std::string name = std::string(parity::tensor::name(dtype)) + "/" + named.name;
      benchmark::RegisterBenchmark(name.c_str(), compare, dtype, named.data, 1)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
  benchmark::RegisterBenchmark("float32/one_ulp/2_threads", compare, DType::float32, Data::one_ulp,
                               2)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

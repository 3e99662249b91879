// Speed of one comparison on one core beside plain reads of buffers of the same size, in bytes of
// both sides per second; and of the digest that every tap and weight gets, in bytes per second.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/compare/made_sides.h"
#include "bench/compare/plain_read.h"
#include <benchmark/benchmark.h>

#include "compare/compare_logits.h"
#include "compare/compare_tensors.h"
#include "tensor/digest.h"
#include "tensor/dtype.h"

namespace {

using parity::bench::Data;
using parity::bench::Sides;
using parity::compare::Candidate;
using parity::compare::CompareOptions;
using parity::compare::Reference;
using parity::tensor::DType;
using parity::tensor::TensorView;

constexpr std::size_t kSideBytes = std::size_t{128} << 20U;
constexpr std::size_t kCachedBytes = std::size_t{256} << 10U;  // of a second-level cache of 512 KiB

void set_rate(benchmark::State& state, std::size_t bytes = 2 * kSideBytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

/// The last data made: the library calls a benchmark several times, and repeats it.
const Sides& sides_of(DType dtype, Data data) {
  static Sides last;
  static std::tuple<DType, Data> made{DType::complex128, Data::identical};
  if (made != std::tuple{dtype, data}) {
    last = {};
    last = parity::bench::made_sides(dtype, data, kSideBytes);
    made = {dtype, data};
  }
  return last;
}

void plain_read(benchmark::State& state) {
  const Sides& sides = sides_of(DType::float32, Data::one_ulp);
  for (auto step : state) {
    benchmark::DoNotOptimize(parity::bench::read_both(sides.reference, sides.candidate));
  }
  set_rate(state);
}

void digest(benchmark::State& state, std::size_t bytes) {
  const Sides& sides = sides_of(DType::float32, Data::one_ulp);
  const auto values = std::span<const std::byte>(sides.reference).first(bytes);
  for (auto step : state) benchmark::DoNotOptimize(parity::tensor::digest_of(values));
  set_rate(state, bytes);
}

void compare(benchmark::State& state, DType dtype, Data data, int threads) {
  const Sides& sides = sides_of(dtype, data);
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

void compare_rows(benchmark::State& state, DType dtype, std::int64_t vocabulary) {
  static Sides sides;
  static DType made = DType::complex128;
  if (made != dtype) {
    sides = {};
    sides = parity::bench::made_logits(dtype, kSideBytes);
    made = dtype;
  }
  const auto count = static_cast<std::int64_t>(kSideBytes / parity::tensor::size_bytes(dtype));
  const TensorView reference{dtype, {count / vocabulary, vocabulary}, sides.reference};
  const TensorView candidate{dtype, {count / vocabulary, vocabulary}, sides.candidate};
  for (auto step : state) {
    benchmark::DoNotOptimize(
        parity::compare::compare_logits(Reference{reference}, Candidate{candidate}, {}));
  }
  set_rate(state);
}

struct Named {
  const char* name;
  Data data;
};

constexpr Named kData[] = {{"identical", Data::identical},
                           {"one_ulp", Data::one_ulp},
                           {"matmul_noise", Data::matmul_noise},
                           {"relu_noise", Data::relu_noise},
                           {"some_nan", Data::some_nan}};

void add(const std::string& name, DType dtype, Data data, int threads) {
  benchmark::RegisterBenchmark(name.c_str(), compare, dtype, data, threads)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void add_rows(const std::string& name, DType dtype, std::int64_t vocabulary) {
  benchmark::RegisterBenchmark(name.c_str(), compare_rows, dtype, vocabulary)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void register_all() {
  benchmark::RegisterBenchmark("plain_read", plain_read)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
  for (const auto& [name, bytes] :
       {std::pair{"digest/memory", kSideBytes}, std::pair{"digest/cache", kCachedBytes}}) {
    benchmark::RegisterBenchmark(name, digest, bytes)->Unit(benchmark::kMillisecond)->UseRealTime();
  }
  for (const DType dtype :
       {DType::float32, DType::bfloat16, DType::float16, DType::float64, DType::float8_e4m3fn,
        DType::float8_e4m3fnuz, DType::float8_e5m2, DType::float8_e5m2fnuz, DType::int64,
        DType::int32, DType::int16, DType::int8, DType::uint8, DType::boolean}) {
    for (const Named& named : kData) {
      const bool float_only = named.data == Data::some_nan || named.data == Data::relu_noise;
      if (float_only && parity::tensor::is_integral(dtype)) continue;
      add(std::string(parity::tensor::name(dtype)) + "/" + named.name, dtype, named.data, 1);
    }
  }
  for (const DType dtype : {DType::float32, DType::bfloat16}) {
    add(std::string(parity::tensor::name(dtype)) + "/matmul_noise/2_threads", dtype,
        Data::matmul_noise, 2);
  }
  for (const std::int64_t vocabulary : {32768, 131072, 262144})
    add_rows("logits/" + std::to_string(vocabulary), DType::float32, vocabulary);
  for (const DType dtype : {DType::bfloat16, DType::float16, DType::float64}) {
    add_rows("logits/" + std::string(parity::tensor::name(dtype)) + "/131072", dtype,
             std::int64_t{131072});
  }
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

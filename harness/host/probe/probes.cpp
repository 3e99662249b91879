#include "host/probe/probes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>

#include "error/error.h"
#include "host/probe/attempt.h"
#include "host/probe/dot_products.h"

namespace parity::host {
namespace {

using run::Fp32Precision;
using tensor::DType;

constexpr std::array<DType, 4> kDtypes = {DType::float64, DType::float32, DType::bfloat16,
                                          DType::float16};

std::string named(const char* probe, DType dtype) {
  return std::string(probe).append(".").append(tensor::name(dtype));
}

/// -1, 0 and 1, the same everywhere.
run::Matrix ternary(std::size_t rows, std::size_t columns, std::uint32_t seed) {
  run::Matrix matrix{rows, columns, {}};
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    state = 1664525U * state + 1013904223U;
    matrix.values.push_back(static_cast<double>((state >> 8U) % 3U) - 1);
  }
  return matrix;
}

run::Matrix first_rows(const run::Matrix& matrix, std::size_t rows) {
  const auto end = matrix.values.begin() + static_cast<std::ptrdiff_t>(rows * matrix.columns);
  return {rows, matrix.columns, {matrix.values.begin(), end}};
}

/// Exact: every sum is at most 256, which even bfloat16 holds.
std::vector<double> exact_product(const run::Matrix& a, const run::Matrix& b) {
  std::vector<double> result(a.rows * b.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.values[i * a.columns + k];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < b.columns; ++j)
        result[i * b.columns + j] += factor * b.values[k * b.columns + j];
    }
  }
  return result;
}

struct Smallest {
  int normal;     ///< exponent of the least normal number
  int subnormal;  ///< of the least one at all
};

Smallest smallest_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return {-1022, -1074};
    case DType::float16:
      return {-14, -24};
    case DType::bfloat16:
      return {-126, -133};
    default:
      return {-126, -149};
  }
}

/// The least number times what makes it a normal one; and two normal ones whose product is
/// subnormal.
struct SubnormalPairs {
  std::vector<double> a;
  std::vector<double> b;
};

SubnormalPairs pairs_of(DType dtype) {
  const Smallest smallest = smallest_of(dtype);
  const int half = smallest.normal / 2;
  return {{std::ldexp(1.0, smallest.subnormal), std::ldexp(1.0, half)},
          {std::ldexp(1.0, smallest.normal - smallest.subnormal),
           std::ldexp(1.0, smallest.normal - half - 4)}};
}

std::string flush_text(const std::vector<double>& got, const SubnormalPairs& pairs) {
  const bool in = got.at(0) == pairs.a[0] * pairs.b[0];
  const bool out = got.at(1) == pairs.a[1] * pairs.b[1];
  if (in && out) return "keeps";
  if (!in && !out) return "flushes";
  return in ? "flushes results" : "flushes operands";
}

/// Bits, since a NaN is no change where it was there before.
bool same_bits(const std::vector<double>& one, const std::vector<double>& other) {
  return one.size() == other.size() &&
         std::memcmp(one.data(), other.data(), one.size() * sizeof(double)) == 0;
}

std::string fused_text(const std::vector<double>& results, double fused) {
  const auto is = [&](double value) {
    return static_cast<std::size_t>(std::count(results.begin(), results.end(), value));
  };
  if (is(fused) == results.size()) return "fused";
  if (is(0) == results.size()) return "separate";
  return is(fused) + is(0) == results.size() ? "mixed" : "otherwise";
}

}  // namespace

std::string short_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value + 0.0);  // -0 is 0 here
  return text.data();
}

run::Probe attempt(std::string name, const std::function<void(run::Probe&)>& body) {
  run::Probe probe{std::move(name), "", ""};
  try {
    body(probe);
  } catch (const Error& error) {
    probe.text = error.kind() == ErrorKind::resource ? run::kNoMemory : run::kNotAvailable;
    probe.detail = error.what();
  }
  return probe;
}

run::Probe probe_integers(run::ProbeDevice& device, DType dtype) {
  constexpr std::size_t kLength = 256;
  constexpr std::size_t kColumns = 128;
  // Batches at which kernels take turns: vectors, a few rows, tiles and their remainders.
  constexpr std::array<std::size_t, 11> kBatches = {1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 130};
  return attempt(named("integers", dtype), [&](run::Probe& probe) {
    const run::Matrix a = ternary(kBatches.back(), kLength, 3);
    const run::Matrix b = ternary(kLength, kColumns, 4);
    const std::vector<double> exact = exact_product(a, b);
    for (const std::size_t rows : kBatches) {
      const run::Matrix got = device.product(first_rows(a, rows), b, dtype, Fp32Precision::ieee);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < rows * kColumns; ++i) {
        if (!(got.values.at(i) == exact[i])) ++wrong;
      }
      if (wrong == 0) continue;
      probe.text += (probe.text.empty() ? "wrong: " : ", ") + std::to_string(wrong) + " of " +
                    std::to_string(rows * kColumns) + " elements at batch " + std::to_string(rows);
    }
    if (probe.text.empty()) probe.text = "exact";
  });
}

run::Probe probe_subnormals(run::ProbeDevice& device, DType dtype) {
  return attempt(named("subnormals", dtype), [&](run::Probe& probe) {
    const SubnormalPairs pairs = pairs_of(dtype);
    const std::vector<double> products =
        computed(device, {{{0, pairs.a[0], pairs.b[0]}}, {{0, pairs.a[1], pairs.b[1]}}}, dtype,
                 Fp32Precision::ieee);
    probe.text = "matmul " + flush_text(products, pairs) + ", multiply " +
                 flush_text(device.times(pairs.a, pairs.b, dtype), pairs);
  });
}

run::Probe probe_contraction(run::ProbeDevice& device) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, whose last term a product that is rounded by itself loses.
  constexpr std::size_t kCount = 67;  // a vectorised loop and its remainder
  const double factor = 1 + std::ldexp(1.0, -12);
  const double fused = std::ldexp(1.0, -24);
  return attempt("fma", [&](run::Probe& probe) {
    const std::vector<double> a(kCount, factor);
    const std::vector<double> c(kCount, -(1 + std::ldexp(1.0, -11)));
    probe.text = "addcmul " + fused_text(device.plus_product(c, a, a, DType::float32), fused) +
                 ", add " + fused_text(device.plus_scaled(c, a, factor, DType::float32), fused);
  });
}

run::Probe probe_repetition(run::ProbeDevice& device) {
  constexpr int kFurtherCalls = 2;
  run::Probe probe{"repeat", "", ""};
  for (const run::Repeatable operation : {run::Repeatable::matmul, run::Repeatable::softmax,
                                          run::Repeatable::sum, run::Repeatable::attention}) {
    for (const DType dtype : {DType::float32, DType::bfloat16, DType::float16}) {
      const std::string what =
          std::string(run::name(operation)).append(".").append(tensor::name(dtype));
      const run::Probe one = attempt(what, [&](run::Probe& found) {
        const std::vector<double> first = device.repeated(operation, dtype);
        for (int call = 0; call < kFurtherCalls; ++call) {
          if (!same_bits(device.repeated(operation, dtype), first)) found.text = "drifts";
        }
      });
      if (one.text == "drifts") probe.text += (probe.text.empty() ? "" : " ") + what;
      if (!one.detail.empty())
        probe.detail += (probe.detail.empty() ? "not available: " : ", ") + what;
    }
  }
  probe.text = probe.text.empty() ? "same bits" : "other bits in a later call: " + probe.text;
  return probe;
}

run::Fingerprint fingerprint(run::ProbeDevice& device) {
  run::Fingerprint all;
  for (const DType dtype : kDtypes) all.push_back(probe_integers(device, dtype));
  for (const Fp32Precision precision : {Fp32Precision::ieee, Fp32Precision::tf32})
    all.push_back(probe_operands(device, precision));
  all.push_back(
      probe_accumulation(device, "accumulation.float32", DType::float32, Fp32Precision::ieee));
  all.push_back(
      probe_accumulation(device, "accumulation.tf32", DType::float32, Fp32Precision::tf32));
  for (const DType dtype : {DType::bfloat16, DType::float16})
    all.push_back(
        probe_accumulation(device, named("accumulation", dtype), dtype, Fp32Precision::ieee));
  for (const DType dtype : kDtypes) all.push_back(probe_subnormals(device, dtype));
  all.push_back(probe_contraction(device));
  all.push_back(probe_repetition(device));
  return all;
}

}  // namespace parity::host

// What a matrix product makes of float32 operands: all of them, TF32's 10 fraction bits to nearest,
// XF32's 10 bits cut, or fewer.
#include <cmath>
#include <cstdint>
#include <numeric>

#include "host/probe/attempt.h"
#include "host/probe/dot_products.h"
#include "host/probe/probes.h"

namespace parity::host {
namespace {

constexpr int kFractionBits = 23;

/// 1 + 2^-bits survives where at least so many bits are used; then 1 + 2^-(bits + 1) +
/// 2^-(bits + 2), which is nearer to 1 + 2^-bits than to 1.
std::vector<DotProduct> products() {
  std::vector<DotProduct> all;
  for (int bits = 1; bits <= kFractionBits; ++bits)
    all.push_back({{0, 1 + std::ldexp(1.0, -bits), 1}});
  for (int bits = 1; bits <= kFractionBits - 2; ++bits)
    all.push_back({{0, 1 + std::ldexp(3.0, -bits - 2), 1}});
  return all;
}

std::string bits_text(const std::vector<double>& results) {
  int bits = 0;
  while (bits < kFractionBits &&
         results[static_cast<std::size_t>(bits)] == 1 + std::ldexp(1.0, -bits - 1))
    ++bits;
  std::string text = std::to_string(bits) + " bits";
  if (bits == 0 || bits > kFractionBits - 2) return text;
  const double rounded = results[static_cast<std::size_t>(kFractionBits + bits - 1)];
  if (rounded == 1) return text + ", cut";
  return text + (rounded == 1 + std::ldexp(1.0, -bits) ? ", nearest" : ", otherwise");
}

/// Uniform in [0, 1) with 23 bits, the same everywhere.
run::Matrix uniform(std::size_t rows, std::size_t columns, std::uint32_t seed) {
  run::Matrix matrix{rows, columns, {}};
  std::uint32_t state = seed;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    state = 1664525U * state + 1013904223U;
    matrix.values.push_back(std::ldexp(static_cast<double>(state >> 9U), -23));
  }
  return matrix;
}

struct MeanError {
  double mean = 0;
  double root_mean_square = 0;
};

/// Of a 128 x 128 product over 32 terms, whose elements are about 8.
MeanError mean_error(run::ProbeDevice& device, run::Fp32Precision precision) {
  constexpr std::size_t kSide = 128;
  constexpr std::size_t kLength = 32;
  const run::Matrix a = uniform(kSide, kLength, 1);
  const run::Matrix b = uniform(kLength, kSide, 2);
  const run::Matrix got = device.product(a, b, tensor::DType::float32, precision);
  MeanError error;
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) {
      double exact = 0;
      for (std::size_t k = 0; k < kLength; ++k)
        exact += a.values[i * kLength + k] * b.values[k * kSide + j];
      const double off = got.values.at(i * kSide + j) - exact;
      error.mean += off;
      error.root_mean_square += off * off;
    }
  }
  constexpr double kCount = kSide * kSide;
  error.mean /= kCount;
  error.root_mean_square = std::sqrt(error.root_mean_square / kCount);
  return error;
}

/// Rounding to nearest has a mean error far below its own spread; cutting has one of about that
/// size. Measured: TF32 of an H200 -6.5e-5 of 1e-3; operands that are cut give -5.2e-3 of 5.4e-3.
std::string bias_text(const MeanError& error) {
  constexpr double kShare = 0.5;
  if (!(std::abs(error.mean) > kShare * error.root_mean_square)) return "no bias";
  return error.mean < 0 ? "too low" : "too high";
}

}  // namespace

run::Probe probe_operands(run::ProbeDevice& device, run::Fp32Precision precision) {
  return attempt("operands." + run::to_string(precision), [&](run::Probe& probe) {
    probe.text = bits_text(computed(device, products(), tensor::DType::float32, precision));
    const MeanError error = mean_error(device, precision);
    probe.text += ", " + bias_text(error);
    probe.detail = "mean signed error " + short_text(error.mean) + ", root mean square " +
                   short_text(error.root_mean_square) + " at values of about 8";
  });
}

}  // namespace parity::host

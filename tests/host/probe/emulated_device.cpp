#include "host/probe/emulated_device.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "error/error.h"
#include "host/probe/probes.h"

namespace parity::host {
namespace {

using tensor::DType;

int least_exponent(DType dtype) {
  return dtype == DType::float64 ? -1022 : dtype == DType::float16 ? -14 : -126;
}

/// Rounded to nearest, ties to even, with subnormals, to `significand` bits.
double rounded(double value, int significand, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), least) - (significand - 1);
  return std::ldexp(std::nearbyint(std::ldexp(value, -exponent)), exponent);
}

double rounded(double value, DType dtype) {
  if (dtype == DType::float64) return value;
  if (dtype == DType::float32) return static_cast<float>(value);
  return rounded(static_cast<float>(value), tensor::significand_bits(dtype), least_exponent(dtype));
}

bool is_subnormal(double value, DType dtype) {
  return value != 0 && std::abs(value) < std::ldexp(1.0, least_exponent(dtype));
}

double flushed(double value, DType dtype) { return is_subnormal(value, dtype) ? 0 : value; }

/// A product with the exponent that the unit gives it: the sum of its factors', not normalised.
struct Product {
  double value;
  int exponent;
};

/// Exponent of an operand or accumulator; of a zero one far below everything.
int exponent_of(double value) {
  if (value == 0) return -1000;
  const auto code = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52U & 0x7FFU);
  return code == 0 ? std::ilogb(value) : code - 1023;
}

double cut(double value, int lowest) {
  return std::ldexp(std::trunc(std::ldexp(value, -lowest)), lowest);
}
double floored(double value, int lowest) {
  return std::ldexp(std::floor(std::ldexp(value, -lowest)), lowest);
}

/// Sums of the probes stay within the 53 bits of a double, by the choice of their terms.
double add_truncating(std::span<const Product> products, double c, int bits) {
  int largest = exponent_of(c);
  for (const Product& one : products) largest = std::max(largest, one.exponent);
  double sum = cut(c, largest - bits);
  for (const Product& one : products) sum += cut(one.value, largest - bits);
  if (sum == 0) return 0;
  return cut(sum, std::max(std::ilogb(sum), -126) - 23);
}

double add_exact(std::span<const Product> products, double c) {
  long double sum = c;
  for (const Product& one : products) sum += one.value;
  // Not by way of double, which would round twice.
  return static_cast<float>(sum);
}

double add_pairwise(std::span<const Product> products, double c) {
  const auto plus = [](double one, double other) {
    return flushed(static_cast<float>(one + other), DType::float32);
  };
  std::vector<double> level;
  for (const Product& one : products) level.push_back(flushed(one.value, DType::float32));
  while (level.size() > 1) {
    std::vector<double> next;
    for (std::size_t i = 0; i < level.size(); i += 2) next.push_back(plus(level[i], level[i + 1]));
    level = std::move(next);
  }
  return plus(c, level.front());
}

double add_two_chains(std::span<const Product> products, double c) {
  const auto plus = [](double one, double other) {
    return flushed(rounded(one + other, DType::float32), DType::float32);
  };
  std::array<double, 2> chains{};
  for (std::size_t i = 0; i < products.size(); ++i)
    chains[i % 2] = plus(chains[i % 2], products[i].value);
  return plus(c, plus(chains[0], chains[1]));
}

double add_floor_joined(std::span<const Product> products, double c) {
  int largest = -1000;
  for (const Product& one : products) {
    if (one.value != 0) largest = std::max(largest, one.exponent);
  }
  double sum = 0;
  if (largest > -1000) {
    for (const Product& one : products) sum += cut(one.value, largest - 24);
  }
  const int join = std::max(largest, std::max(exponent_of(c), -126));
  const double total = floored(sum, join - 32) + floored(c, join - 24);
  if (total == 0) return 0;
  return static_cast<float>(floored(total, std::max(std::ilogb(total), -126) - 31));
}

double added(const Unit& unit, std::span<const Product> products, double c) {
  switch (unit.adder) {
    case Adder::truncating:
      return add_truncating(products, c, unit.bits);
    case Adder::exact:
      return add_exact(products, c);
    case Adder::pairwise:
      return add_pairwise(products, c);
    case Adder::two_chains:
      return add_two_chains(products, c);
    case Adder::floor_joined:
      return add_floor_joined(products, c);
  }
  return NAN;
}

/// Two columns of numbers whose products are summed.
struct Operand {
  const double* a;
  const double* b;
  std::size_t length;
};

double dot_of_slice(const Operand& of, const Unit& unit, DType dtype) {
  const bool flushes = unit.adder == Adder::pairwise || unit.adder == Adder::two_chains;
  const int least = least_exponent(dtype);
  // A subnormal factor counts with the least normal exponent.
  const auto place = [&](double x) { return x == 0 ? -1000 : std::max(exponent_of(x), least); };
  std::array<Product, 32> products;
  double c = 0;
  for (std::size_t k = 0; k < of.length; k += unit.group) {
    bool adds = false;
    for (std::size_t i = 0; i < unit.group; ++i) {
      const bool there = k + i < of.length;
      double one = there ? of.a[k + i] : 0;
      double other = there ? of.b[k + i] : 0;
      if (flushes) {
        one = flushed(one, dtype);
        other = flushed(other, dtype);
      }
      products[i] = {one * other, std::max(place(one) + place(other), -1000)};
      adds = adds || products[i].value != 0;
    }
    // Zeros leave a sum as it is.
    if (adds) c = added(unit, std::span(products).first(unit.group), c);
  }
  return c;
}

/// Slices are sums of their own, which are added up in float32.
double dot(const Operand& of, const Unit& unit, DType dtype) {
  if (unit.slice == 0) return dot_of_slice(of, unit, dtype);
  double sum = 0;
  for (std::size_t k = 0; k < of.length; k += unit.slice) {
    const Operand slice = {of.a + k, of.b + k, std::min(unit.slice, of.length - k)};
    sum = rounded(sum + dot_of_slice(slice, unit, dtype), DType::float32);
  }
  return sum;
}

double chain(const Operand& of, DType dtype) {
  double c = 0;
  for (std::size_t k = 0; k < of.length; ++k) {
    if (of.a[k] == 0 || of.b[k] == 0) continue;
    // Exact in double before it is rounded once: these sums of narrow products need no more bits.
    c = rounded(of.a[k] * of.b[k] + c, dtype == DType::float64 ? dtype : DType::float32);
  }
  return c;
}

double as_tf32(double value, Operands operands) {
  if (operands == Operands::cut_to_10_bits && value != 0) return cut(value, std::ilogb(value) - 10);
  return operands == Operands::whole ? value : rounded(value, 11, -126);
}

}  // namespace

void EmulatedDevice::check(DType dtype) const {
  if (machine_.lacks_float16 && dtype == DType::float16)
    throw Error(ErrorKind::model, "no kernel for Half");
}

run::Matrix EmulatedDevice::product(const run::Matrix& a, const run::Matrix& b, DType dtype,
                                    run::Fp32Precision precision) {
  check(dtype);
  const bool narrow = dtype == DType::float16 || dtype == DType::bfloat16;
  const bool tf32 =
      dtype == DType::float32 && precision == run::Fp32Precision::tf32 && machine_.tf32.has_value();
  const std::optional<Unit>& unit = narrow ? machine_.half : machine_.tf32;
  std::vector<double> rows = a.values;
  std::vector<double> columns(b.values.size());
  for (std::size_t k = 0; k < b.rows; ++k) {
    for (std::size_t j = 0; j < b.columns; ++j)
      columns[j * b.rows + k] = b.values[k * b.columns + j];
  }
  for (std::vector<double>* values : {&rows, &columns}) {
    if (!tf32) continue;
    for (double& value : *values) value = as_tf32(value, machine_.tf32_operands);
  }
  run::Matrix result{a.rows, b.columns, {}};
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.columns; ++j) {
      const Operand of{rows.data() + i * a.columns, columns.data() + j * a.columns, a.columns};
      const bool grouped = tf32 || (narrow && unit);
      result.values.push_back(rounded(grouped ? dot(of, *unit, dtype) : chain(of, dtype), dtype));
    }
  }
  if (a.rows == machine_.wrong_batch) result.values.back() += 1;
  return result;
}

std::vector<double> EmulatedDevice::times(const std::vector<double>& a,
                                          const std::vector<double>& b, DType dtype) {
  check(dtype);
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (machine_.flushes_elements) {
      result.push_back(flushed(rounded(flushed(a[i], dtype) * flushed(b[i], dtype), dtype), dtype));
    } else {
      result.push_back(rounded(a[i] * b[i], dtype));
    }
  }
  return result;
}

std::vector<double> EmulatedDevice::plus_product(const std::vector<double>& c,
                                                 const std::vector<double>& a,
                                                 const std::vector<double>& b, DType dtype) {
  check(dtype);
  const std::size_t vectorised = a.size() / 8 * 8;
  std::vector<double> result;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool fuses = machine_.contraction == Contraction::fused ||
                       (machine_.contraction == Contraction::fused_but_remainder && i < vectorised);
    // Products of two floats are exact in double, and so are the sums of this probe.
    const double product = fuses ? a[i] * b[i] : rounded(a[i] * b[i], dtype);
    result.push_back(rounded(product + c[i], dtype));
  }
  return result;
}

std::vector<double> EmulatedDevice::plus_scaled(const std::vector<double>& c,
                                                const std::vector<double>& a, double factor,
                                                DType dtype) {
  return plus_product(c, a, std::vector<double>(a.size(), factor), dtype);
}

run::Probe probed(const Machine& machine, const std::string& name) {
  EmulatedDevice device(machine);
  const std::string kind = name.substr(0, name.find('.'));
  const std::string of = kind == name ? "" : name.substr(kind.size() + 1);
  const bool tf32 = of == "tf32";
  const run::Fp32Precision precision = tf32 ? run::Fp32Precision::tf32 : run::Fp32Precision::ieee;
  const DType dtype = tensor::dtype_from_name(of).value_or(DType::float32);
  if (kind == "integers") return probe_integers(device, dtype);
  if (kind == "accumulation") return probe_accumulation(device, name, dtype, precision);
  if (kind == "subnormals") return probe_subnormals(device, dtype);
  if (kind == "operands") return probe_operands(device, precision);
  return kind == "fma" ? probe_contraction(device) : probe_repetition(device);
}

std::vector<double> EmulatedDevice::repeated(run::Repeatable operation, DType dtype) {
  check(dtype);
  const bool drifts = operation == run::Repeatable::matmul && dtype == DType::float32;
  if (drifts && machine_.drifts_after > 0 && ++calls_ > machine_.drifts_after) return {1, 2.5};
  return {1, 2};
}

}  // namespace parity::host

// From a dtype known at run time to its format: values, spacing and order of representable numbers.
// Knows real floating types; integers and complex numbers are compared elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compare/float_format.h"
#include "error/error.h"
#include "tensor/dtype.h"

namespace parity::compare {

/// Calls `body` with a value of the format type of `dtype`, which must be a real floating type.
template <typename Body>
auto with_float_format(tensor::DType dtype, Body&& body) {
  switch (dtype) {
    case tensor::DType::float64:
      return body(Float64Format{});
    case tensor::DType::float16:
      return body(Float16Format{});
    case tensor::DType::bfloat16:
      return body(BFloat16Format{});
    case tensor::DType::float8_e4m3fn:
      return body(Float8E4M3FnFormat{});
    case tensor::DType::float8_e4m3fnuz:
      return body(Float8E4M3FnuzFormat{});
    case tensor::DType::float8_e5m2:
      return body(Float8E5M2Format{});
    case tensor::DType::float8_e5m2fnuz:
      return body(Float8E5M2FnuzFormat{});
    default:
      PARITY_CHECK(dtype == tensor::DType::float32);
      return body(Float32Format{});
  }
}

/// Reads one element at an address of any alignment as float64 (exact but for 64-bit integers past
/// 2^53).
using ValueReader = double (*)(const std::byte*);
[[nodiscard]] ValueReader value_reader(tensor::DType dtype);

/// Smallest normal magnitude; 0 for integers, which have no subnormals.
[[nodiscard]] double smallest_normal(tensor::DType dtype);

/// The one with fewer significand bits; any float is coarser than any integer; the reference's on a
/// tie.
[[nodiscard]] tensor::DType coarser(tensor::DType reference, tensor::DType candidate);

/// Position of a magnitude >= 0 among the non-negative numbers of a dtype after rounding to nearest
/// even. Past the largest number it counts on as if the exponents did, so an overflow in the
/// coarser dtype stays a finite distance.
using Ordinal = std::uint64_t (*)(double);
[[nodiscard]] Ordinal ordinal_of(tensor::DType dtype);

}  // namespace parity::compare

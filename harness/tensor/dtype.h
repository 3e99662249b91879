// Element types of tensors: names, sizes and the numbers that bounds are derived from.
// Refuses to know torch's or HDF5's type codes; those are mapped in model/ and golden_store/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace parity::tensor {

enum class DType : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  int64,
  int32,
  int16,
  int8,
  uint64,
  uint32,
  uint16,
  uint8,
  boolean,
  complex64,
  complex128,
};

[[nodiscard]] std::span<const DType> all_dtypes();

/// PyTorch's own spelling without `torch.`: "float32", "bool", "float8_e4m3fnuz".
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);

/// Bytes of one element.
[[nodiscard]] std::size_t size_bytes(DType dtype);

/// True for the real floating types (float64 down to the float8 kinds); complex types are not.
[[nodiscard]] bool is_floating(DType dtype);
[[nodiscard]] bool is_complex(DType dtype);
[[nodiscard]] bool is_integral(DType dtype);  ///< signed, unsigned and bool

/// The type of the real and imaginary part; the type itself where it is not complex.
[[nodiscard]] DType component(DType dtype);

/// Bits of the significand with its implicit one (float32: 24, bfloat16: 8). 0 for integers.
[[nodiscard]] int significand_bits(DType dtype);

/// Unit roundoff 2^-significand_bits: the largest relative error of one rounding to nearest. 0 for
/// integers.
[[nodiscard]] double unit_roundoff(DType dtype);

}  // namespace parity::tensor

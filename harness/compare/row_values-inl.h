// Per-target SIMD code: blocks of a row of logits as float32 or float64 in the first-level cache,
// padded with -Inf to whole vectors. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_ROW_VALUES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_ROW_VALUES_INL_H_
#undef PARITY_COMPARE_ROW_VALUES_INL_H_
#else
#define PARITY_COMPARE_ROW_VALUES_INL_H_
#endif

#include <cstring>
#include <limits>

#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/float_lanes-inl.h"
#include "compare/row_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Blocks are padded to a multiple of this many values, whole vectors on every target.
inline constexpr std::size_t kRowGranule = 16;

HWY_INLINE std::size_t padded(std::size_t count) {
  return (count + kRowGranule - 1) / kRowGranule * kRowGranule;
}

/// Values of a block in place where they are aligned and whole, otherwise in `copy`, padded.
template <typename T>
HWY_INLINE const T* in_place_or_copied(const std::byte* from, std::size_t count, T minus_infinity,
                                       T* copy) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % alignof(T) == 0;
  if (aligned && count % kRowGranule == 0) return reinterpret_cast<const T*>(from);
  std::memcpy(copy, from, count * sizeof(T));
  for (std::size_t i = count; i < padded(count); ++i) copy[i] = minus_infinity;
  return copy;
}

/// Float16Lanes::widen turns Inf and NaN into numbers where the target has no instruction for it.
HWY_INLINE FloatVector widen_half(const std::uint16_t* from) {
#if (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3) && !defined(HWY_DISABLE_F16C)
  return Float16Lanes::widen(from);
#else
  const UintTag du;
  const FloatTag df;
  const UintVector bits = hn::PromoteTo(du, hn::LoadU(HalfBitsTag(), from));
  const UintVector sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000U)));
  const UintVector payload = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x3FFU)));
  const UintVector special = hn::Or(sign, hn::Or(payload, hn::Set(du, 0x7F800000U)));
  const UintVector exponent = hn::And(bits, hn::Set(du, 0x7C00U));
  const auto is_special = hn::Eq(exponent, hn::Set(du, 0x7C00U));
  return hn::IfThenElse(hn::RebindMask(df, is_special), hn::BitCast(df, special),
                        Float16Lanes::widen(from));
#endif
}

/// A block of a float32 or narrower row as float32: in place, or in `floats`.
HWY_INLINE const float* float_block(const LogitsRow& row, std::size_t first, std::size_t count,
                                    float* floats) {
  const FloatTag df;
  const std::byte* from = row.bytes + first * row.element_bytes;
  const float minus_infinity = -std::numeric_limits<float>::infinity();
  alignas(64) std::uint16_t halves[kRowBlock];
  switch (row.kind) {
    case RowKind::float32:
      return in_place_or_copied(from, count, minus_infinity, floats);
    case RowKind::bfloat16: {
      const auto* bits = in_place_or_copied(from, count, std::uint16_t{0xFF80}, halves);
      for (std::size_t i = 0; i < padded(count); i += hn::Lanes(df))
        hn::Store(BFloat16Lanes::widen(bits + i), df, floats + i);
      return floats;
    }
    case RowKind::float16: {
      const auto* bits = in_place_or_copied(from, count, std::uint16_t{0xFC00}, halves);
      for (std::size_t i = 0; i < padded(count); i += hn::Lanes(df))
        hn::Store(widen_half(bits + i), df, floats + i);
      return floats;
    }
    default:
      for (std::size_t i = 0; i < count; ++i)
        floats[i] = static_cast<float>(row.read(from + i * row.element_bytes));
      for (std::size_t i = count; i < padded(count); ++i) floats[i] = minus_infinity;
      return floats;
  }
}

HWY_INLINE const double* double_block(const LogitsRow& row, std::size_t first, std::size_t count,
                                      double* doubles) {
  return in_place_or_copied(row.bytes + first * sizeof(double), count,
                            -std::numeric_limits<double>::infinity(), doubles);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_ROW_VALUES_INL_H_

// Per-target SIMD code: the dtypes of the kernel as vectors of float32, and which integers their
// ulp distances are counted on. Included once per target; see Highway's foreach_target.
#if defined(PARITY_COMPARE_FLOAT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PARITY_COMPARE_FLOAT_LANES_INL_H_
#undef PARITY_COMPARE_FLOAT_LANES_INL_H_
#else
#define PARITY_COMPARE_FLOAT_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include "compare/code_counts.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = TagUpTo<float, 16>;
using UintTag = hn::RebindToUnsigned<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;
using HalfBitsTag = hn::Rebind<std::uint16_t, FloatTag>;
using FloatVector = hn::Vec<FloatTag>;
using UintVector = hn::Vec<UintTag>;

constexpr std::uint32_t kAbsMask = 0x7FFFFFFFU;
/// Everyday magnitudes: zero, or within [2^-102, 2^126), where c-r neither overflows nor is
/// subnormal.
constexpr std::uint32_t kLowest = 25U << 23U;
constexpr std::uint32_t kBeyond = 253U << 23U;

/// Limits of a near pair as integers of the dtype: two equal zeros, or magnitudes below `beyond`,
/// the reference's not below `lowest`, and a distance of at most max_ulp, small enough that c-r is
/// exact in float32 and at most half of abs(r).
struct NearLimits {
  std::uint32_t lowest;
  std::uint32_t beyond;
  std::uint32_t max_ulp;
};

/// A dtype of the kernel: how it widens to float32 and which integers its ulp distances are counted
/// on.
struct Float32Lanes {
  using Bits = float;
  static constexpr bool kWidens = false;
  static constexpr Products kProducts = Products::rounded;
  static constexpr std::uint32_t kInfinity = 255U << 23U;
  static constexpr int kLowestRelative = -24;  ///< floor(log2) of the least error of a near pair
  static constexpr NearLimits near_limits() { return {kLowest + (1U << 22U), kBeyond, 1U << 22U}; }
  static HWY_INLINE FloatVector widen(const float* from) { return hn::LoadU(FloatTag(), from); }
  static HWY_INLINE UintVector order(const float*, UintVector magnitude) { return magnitude; }
  static HWY_INLINE UintVector unusual(UintVector, UintVector, UintVector) {
    return hn::Zero(UintTag());
  }
};

struct BFloat16Lanes {
  using Bits = std::uint16_t;
  static constexpr bool kWidens = true;
  static constexpr Products kProducts = Products::exact;
  static constexpr int kLowestRelative = -8;
  static constexpr std::uint16_t kInfinity = 0x7F80;
  static constexpr NearLimits near_limits() { return {(25U << 7U) + 127U, 253U << 7U, 127}; }
  static HWY_INLINE FloatVector widen(const std::uint16_t* from) {
    const UintVector bits = hn::PromoteTo(UintTag(), hn::LoadU(HalfBitsTag(), from));
    return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(bits));
  }
  static HWY_INLINE UintVector order(const std::uint16_t*, UintVector magnitude) {
    return hn::ShiftRight<16>(magnitude);
  }
  static HWY_INLINE UintVector unusual(UintVector, UintVector, UintVector) {
    return hn::Zero(UintTag());
  }
};

struct Float16Lanes {
  using Bits = std::uint16_t;
  static constexpr bool kWidens = true;
  static constexpr Products kProducts = Products::exact;
  static constexpr int kLowestRelative = -12;
  static constexpr std::uint16_t kInfinity = 0x7C00;
  static constexpr NearLimits near_limits() { return {0x0180U, 0x7C00U, 127}; }
  static HWY_INLINE FloatVector widen(const std::uint16_t* from) {
    const hn::Rebind<hwy::float16_t, FloatTag> half;
    return hn::PromoteTo(FloatTag(), hn::BitCast(half, hn::LoadU(HalfBitsTag(), from)));
  }
  static HWY_INLINE UintVector order(const std::uint16_t* from, UintVector) {
    const UintVector bits = hn::PromoteTo(UintTag(), hn::LoadU(HalfBitsTag(), from));
    return hn::And(bits, hn::Set(UintTag(), 0x7FFFU));
  }
  /// Non-zero for Inf and NaN, which the widening of some targets turns into numbers, and where one
  /// side is zero and the other subnormal: neither shows in float32 lanes.
  static HWY_INLINE UintVector unusual(UintVector r, UintVector c, UintVector ulp_less_one) {
    const UintTag du;
    const UintVector not_finite = hn::ShiftRight<15>(hn::Add(hn::Max(r, c), hn::Set(du, 0x400U)));
    const auto one_zero = hn::Eq(hn::Min(r, c), hn::Zero(du));
    const UintVector small = hn::IfThenElseZero(one_zero, hn::Set(du, 1));
    const UintVector capped = hn::Min(ulp_less_one, hn::Set(du, 0x3FFU));
    return hn::Or(not_finite, hn::IfThenZeroElse(hn::Eq(capped, hn::Set(du, 0x3FFU)), small));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#endif  // PARITY_COMPARE_FLOAT_LANES_INL_H_

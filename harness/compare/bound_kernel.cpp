// One comparison per pair in float64 lanes; leaves at the first group that is not inside.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/bound_kernel.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/bound_kernel.h"

#include <cmath>
#include <limits>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/float_format.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {

using NarrowTag = hn::Rebind<float, DoubleTag>;
using NarrowBitsTag = hn::Rebind<std::uint16_t, DoubleTag>;

HWY_INLINE DoubleVector load_bfloat16(const std::uint16_t* from) {
  const hn::Rebind<std::uint32_t, DoubleTag> wide;
  const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(wide, hn::LoadU(NarrowBitsTag(), from)));
  return hn::PromoteTo(DoubleTag(), hn::BitCast(NarrowTag(), bits));
}

HWY_INLINE DoubleVector load_float16(const std::uint16_t* from) {
  const hn::Rebind<hwy::float16_t, DoubleTag> half;
  const auto narrow =
      hn::PromoteTo(NarrowTag(), hn::BitCast(half, hn::LoadU(NarrowBitsTag(), from)));
  return hn::PromoteTo(DoubleTag(), narrow);
}

template <typename T, typename Load>
HWY_INLINE bool all_inside(const T* reference, const T* candidate, std::size_t count,
                           double relative, double absolute, Load load) {
  const DoubleTag d;
  const DoubleVector factor = hn::Set(d, relative);
  const DoubleVector floor = hn::Set(d, absolute);
  const DoubleVector infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const DoubleVector r = load(reference + i);
    const DoubleVector size = hn::Abs(hn::Sub(load(candidate + i), r));
    const DoubleVector limit = hn::Add(hn::Mul(factor, hn::Abs(r)), floor);
    // Both may be infinite, with an Inf on one side.
    if (!hn::AllTrue(d, hn::And(hn::Le(size, limit), hn::Lt(size, infinity)))) return false;
  }
  return true;
}

bool Inside32(const float* r, const float* c, std::size_t count, double relative, double absolute) {
  return all_inside(r, c, count, relative, absolute,
                    [](const float* from) HWY_ATTR { return load_wide(from); });
}
bool Inside64(const double* r, const double* c, std::size_t count, double relative,
              double absolute) {
  return all_inside(r, c, count, relative, absolute,
                    [](const double* from) HWY_ATTR { return load_wide(from); });
}
bool InsideBFloat16(const std::uint16_t* r, const std::uint16_t* c, std::size_t count,
                    double relative, double absolute) {
  return all_inside(r, c, count, relative, absolute,
                    [](const std::uint16_t* from) HWY_ATTR { return load_bfloat16(from); });
}
bool InsideFloat16(const std::uint16_t* r, const std::uint16_t* c, std::size_t count,
                   double relative, double absolute) {
  return all_inside(r, c, count, relative, absolute,
                    [](const std::uint16_t* from) HWY_ATTR { return load_float16(from); });
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {
namespace {

HWY_EXPORT(Inside32);
HWY_EXPORT(Inside64);
HWY_EXPORT(InsideBFloat16);
HWY_EXPORT(InsideFloat16);

template <typename T>
struct Block {
  const T* reference;
  const T* candidate;
  std::size_t count;
};

/// nullptrs when the bytes cannot be used in place.
template <typename T>
Block<T> block_of(std::span<const std::byte> reference, std::span<const std::byte> candidate) {
  const auto misaligned = [](const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) % alignof(T) != 0;
  };
  const std::size_t count = reference.size() / sizeof(T);
  if (misaligned(reference.data()) || misaligned(candidate.data()) || count % kSumLanes != 0)
    return {};
  return {reinterpret_cast<const T*>(reference.data()),
          reinterpret_cast<const T*>(candidate.data()), count};
}

/// Emulated widening of float16 turns Inf and NaN into numbers, so they are looked for in the
/// patterns.
bool any_not_finite(const Block<std::uint16_t>& block) {
  std::uint16_t largest = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    const auto r = static_cast<std::uint16_t>(block.reference[i] & 0x7FFFU);
    const auto c = static_cast<std::uint16_t>(block.candidate[i] & 0x7FFFU);
    largest = r > largest ? r : largest;
    largest = c > largest ? c : largest;
  }
  return largest >= Float16Format::kInfinity;
}

}  // namespace

bool block_is_inside(tensor::DType dtype, std::span<const std::byte> reference,
                     std::span<const std::byte> candidate, const AbsoluteBound& bound) {
  // With an infinite bound even NaN - Inf would have to be told apart; leave that to the careful
  // way.
  if (!std::isfinite(bound.absolute) || !std::isfinite(bound.relative)) return false;
  if (dtype == tensor::DType::float32) {
    const auto block = block_of<float>(reference, candidate);
    return block.reference != nullptr &&
           HWY_DYNAMIC_DISPATCH(Inside32)(block.reference, block.candidate, block.count,
                                          bound.relative, bound.absolute);
  }
  if (dtype == tensor::DType::float64) {
    const auto block = block_of<double>(reference, candidate);
    return block.reference != nullptr &&
           HWY_DYNAMIC_DISPATCH(Inside64)(block.reference, block.candidate, block.count,
                                          bound.relative, bound.absolute);
  }
  if (dtype != tensor::DType::bfloat16 && dtype != tensor::DType::float16) return false;
  const auto block = block_of<std::uint16_t>(reference, candidate);
  if (block.reference == nullptr) return false;
  if (dtype == tensor::DType::bfloat16) {
    return HWY_DYNAMIC_DISPATCH(InsideBFloat16)(block.reference, block.candidate, block.count,
                                                bound.relative, bound.absolute);
  }
  return !any_not_finite(block) &&
         HWY_DYNAMIC_DISPATCH(InsideFloat16)(block.reference, block.candidate, block.count,
                                             bound.relative, bound.absolute);
}

}  // namespace parity::compare
#endif  // HWY_ONCE

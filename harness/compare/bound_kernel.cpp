// One comparison per pair in float64 lanes; leaves at the first group that is not inside.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/bound_kernel.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/bound_kernel.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/double_lanes-inl.h"
#include "compare/float_format.h"
#include "compare/formats.h"
#include "compare/integer_lanes-inl.h"

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

struct ReferenceAndSize {
  DoubleVector reference;
  DoubleVector size;  ///< of the difference
};

/// `load(i)` gives the pairs from element i on.
template <typename Load>
HWY_INLINE bool all_inside(std::size_t count, const AbsoluteBound& bound, Load load) {
  const DoubleTag d;
  const DoubleVector factor = hn::Set(d, bound.relative);
  const DoubleVector floor = hn::Set(d, bound.absolute);
  const DoubleVector infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; i += kVectorLanes) {
    const ReferenceAndSize pairs = load(i);
    const DoubleVector limit = hn::Add(hn::Mul(factor, hn::Abs(pairs.reference)), floor);
    // Both may be infinite, with an Inf on one side.
    if (!hn::AllTrue(d, hn::And(hn::Le(pairs.size, limit), hn::Lt(pairs.size, infinity))))
      return false;
  }
  return true;
}

HWY_INLINE ReferenceAndSize subtract(DoubleVector r, DoubleVector c) {
  return {r, hn::Abs(hn::Sub(c, r))};
}

template <typename T>
HWY_INLINE bool floats_inside(const T* r, const T* c, std::size_t count,
                              const AbsoluteBound& bound) {
  return all_inside(count, bound, [=](std::size_t i) HWY_ATTR {
    return subtract(load_wide(r + i), load_wide(c + i));
  });
}

template <typename T>
HWY_INLINE bool integers_inside(const T* r, const T* c, std::size_t count,
                                const AbsoluteBound& bound) {
  return all_inside(count, bound, [=](std::size_t i) HWY_ATTR {
    const IntegerPairs pairs = load_pairs(r + i, c + i);
    return ReferenceAndSize{pairs.reference, pairs.size};
  });
}

bool Inside32(const float* r, const float* c, std::size_t count, const AbsoluteBound& bound) {
  return floats_inside(r, c, count, bound);
}
bool Inside64(const double* r, const double* c, std::size_t count, const AbsoluteBound& bound) {
  return floats_inside(r, c, count, bound);
}
bool InsideBFloat16(const std::uint16_t* r, const std::uint16_t* c, std::size_t count,
                    const AbsoluteBound& bound) {
  return all_inside(count, bound, [=](std::size_t i) HWY_ATTR {
    return subtract(load_bfloat16(r + i), load_bfloat16(c + i));
  });
}
bool InsideFloat16(const std::uint16_t* r, const std::uint16_t* c, std::size_t count,
                   const AbsoluteBound& bound) {
  return all_inside(count, bound, [=](std::size_t i) HWY_ATTR {
    return subtract(load_float16(r + i), load_float16(c + i));
  });
}
bool InsideInt16(const std::int16_t* r, const std::int16_t* c, std::size_t count,
                 const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
bool InsideUint16(const std::uint16_t* r, const std::uint16_t* c, std::size_t count,
                  const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
bool InsideInt32(const std::int32_t* r, const std::int32_t* c, std::size_t count,
                 const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
bool InsideUint32(const std::uint32_t* r, const std::uint32_t* c, std::size_t count,
                  const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
bool InsideInt64(const std::int64_t* r, const std::int64_t* c, std::size_t count,
                 const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
bool InsideUint64(const std::uint64_t* r, const std::uint64_t* c, std::size_t count,
                  const AbsoluteBound& bound) {
  return integers_inside(r, c, count, bound);
}
/// `values`: one for each byte.
bool InsideBytes(const std::uint8_t* r, const std::uint8_t* c, std::size_t count,
                 const AbsoluteBound& bound, const double* values) {
  const hn::Rebind<std::uint8_t, DoubleTag> narrow;
  const hn::Rebind<std::int32_t, DoubleTag> wide;
  const hn::RebindToSigned<DoubleTag> places;
  const auto look_up = [=](const std::uint8_t* from) HWY_ATTR {
    const auto bytes = hn::PromoteTo(wide, hn::LoadU(narrow, from));
    return hn::GatherIndex(DoubleTag(), values, hn::PromoteTo(places, bytes));
  };
  return all_inside(count, bound, [=](std::size_t i) HWY_ATTR {
    return subtract(look_up(r + i), look_up(c + i));
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace parity::compare {
namespace {

using tensor::DType;

HWY_EXPORT(Inside32);
HWY_EXPORT(Inside64);
HWY_EXPORT(InsideBFloat16);
HWY_EXPORT(InsideFloat16);
HWY_EXPORT(InsideInt16);
HWY_EXPORT(InsideUint16);
HWY_EXPORT(InsideInt32);
HWY_EXPORT(InsideUint32);
HWY_EXPORT(InsideInt64);
HWY_EXPORT(InsideUint64);
HWY_EXPORT(InsideBytes);

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

/// The value of each byte of an 8-bit type.
std::array<double, 256> values_of(DType dtype) {
  std::array<double, 256> values;
  const ValueReader read = value_reader(dtype);
  for (std::size_t bits = 0; bits < values.size(); ++bits) {
    const auto byte = static_cast<std::byte>(bits);
    values[bits] = read(&byte);
  }
  return values;
}

template <DType dtype>
const double* byte_values() {
  static const std::array<double, 256> values = values_of(dtype);
  return values.data();
}

/// nullptr for types of more than one byte.
const double* byte_values(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return byte_values<DType::int8>();
    case DType::uint8:
      return byte_values<DType::uint8>();
    case DType::boolean:
      return byte_values<DType::boolean>();
    case DType::float8_e4m3fn:
      return byte_values<DType::float8_e4m3fn>();
    case DType::float8_e4m3fnuz:
      return byte_values<DType::float8_e4m3fnuz>();
    case DType::float8_e5m2:
      return byte_values<DType::float8_e5m2>();
    case DType::float8_e5m2fnuz:
      return byte_values<DType::float8_e5m2fnuz>();
    default:
      return nullptr;
  }
}

bool unequal_block_is_inside(DType dtype, std::span<const std::byte> reference,
                             std::span<const std::byte> candidate, const AbsoluteBound& bound) {
  const auto ask =
      [&]<typename T>(bool (*kernel)(const T*, const T*, std::size_t, const AbsoluteBound&)) {
        const Block<T> block = block_of<T>(reference, candidate);
        return block.reference != nullptr &&
               kernel(block.reference, block.candidate, block.count, bound);
      };
  switch (dtype) {
    case DType::float32:
      return ask(HWY_DYNAMIC_DISPATCH(Inside32));
    case DType::float64:
      return ask(HWY_DYNAMIC_DISPATCH(Inside64));
    case DType::bfloat16:
      return ask(HWY_DYNAMIC_DISPATCH(InsideBFloat16));
    case DType::float16:
      return !any_not_finite(block_of<std::uint16_t>(reference, candidate)) &&
             ask(HWY_DYNAMIC_DISPATCH(InsideFloat16));
    case DType::int16:
      return ask(HWY_DYNAMIC_DISPATCH(InsideInt16));
    case DType::uint16:
      return ask(HWY_DYNAMIC_DISPATCH(InsideUint16));
    case DType::int32:
      return ask(HWY_DYNAMIC_DISPATCH(InsideInt32));
    case DType::uint32:
      return ask(HWY_DYNAMIC_DISPATCH(InsideUint32));
    case DType::int64:
      return ask(HWY_DYNAMIC_DISPATCH(InsideInt64));
    case DType::uint64:
      return ask(HWY_DYNAMIC_DISPATCH(InsideUint64));
    default:
      break;
  }
  const double* values = byte_values(dtype);
  const auto block = block_of<std::uint8_t>(reference, candidate);
  return values != nullptr && block.reference != nullptr &&
         HWY_DYNAMIC_DISPATCH(InsideBytes)(block.reference, block.candidate, block.count, bound,
                                           values);
}

}  // namespace

bool block_is_inside(DType dtype, std::span<const std::byte> reference,
                     std::span<const std::byte> candidate, const AbsoluteBound& bound) {
  // With an infinite bound even NaN - Inf would have to be told apart; leave that to the careful
  // way.
  if (!std::isfinite(bound.absolute) || !std::isfinite(bound.relative)) return false;
  if (bound.absolute >= 0 && bound.relative >= 0 &&
      std::memcmp(reference.data(), candidate.data(), reference.size()) == 0)
    return true;
  return unequal_block_is_inside(dtype, reference, candidate, bound);
}

}  // namespace parity::compare
#endif  // HWY_ONCE

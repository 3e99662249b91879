// Bytes become places in the order of values, whose differences are the distances.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/byte_scan.cpp"
// clang-format off
#include "compare/simd_targets.h"  // before any other header of Highway
// clang-format on

#include "compare/byte_scan.h"

#include <cstring>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/float_format.h"
#include "compare/fused_kernel.h"
#include "compare/same_bytes-inl.h"
#include "compare/tags-inl.h"

HWY_BEFORE_NAMESPACE();
namespace parity::compare {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using ScanTag = TagUpTo<std::uint8_t, kBlockGranule>;
using ScanVector = hn::Vec<ScanTag>;

struct UnsignedOrder {
  static HWY_INLINE ScanVector place(ScanVector bits) { return bits; }
  static HWY_INLINE ScanVector not_finite(ScanVector) { return hn::Zero(ScanTag()); }
};

struct SignedOrder : UnsignedOrder {
  static HWY_INLINE ScanVector place(ScanVector bits) {
    return hn::Xor(bits, hn::Set(ScanTag(), std::uint8_t{0x80}));
  }
};

/// Any byte but 0 is true.
struct BooleanOrder : UnsignedOrder {
  static HWY_INLINE ScanVector place(ScanVector bits) {
    return hn::Min(bits, hn::Set(ScanTag(), std::uint8_t{1}));
  }
};

template <typename F>
struct FloatOrder {
  /// Both zeros are at 128.
  static HWY_INLINE ScanVector place(ScanVector bits) {
    const ScanTag d;
    const ScanVector zero = hn::Set(d, std::uint8_t{128});
    const ScanVector size = hn::And(bits, hn::Set(d, F::kMagnitude));
    const auto negative = hn::Eq(hn::And(bits, zero), zero);
    return hn::IfThenElse(negative, hn::Sub(zero, size), hn::Add(zero, size));
  }
  /// All ones where the value is NaN or Inf.
  static HWY_INLINE ScanVector not_finite(ScanVector bits) {
    const ScanTag d;
    if constexpr (F::kSpecials == Specials::fnuz)
      return hn::VecFromMask(d, hn::Eq(bits, hn::Set(d, F::kSign)));
    constexpr std::uint8_t kFirst = F::kSpecials == Specials::ieee ? F::kInfinity : F::kMagnitude;
    const ScanVector size = hn::And(bits, hn::Set(d, F::kMagnitude));
    return hn::VecFromMask(d, hn::Eq(hn::Max(size, hn::Set(d, kFirst)), size));
  }
};

struct ScanVectors {
  ScanVector not_finite;
  ScanVector apart;
};

template <typename Order>
HWY_INLINE void scan_vector(ScanVector r, ScanVector c, ScanVectors& found) {
  const ScanVector from = Order::place(r);
  const ScanVector to = Order::place(c);
  found.apart = hn::Max(found.apart, hn::Sub(hn::Max(from, to), hn::Min(from, to)));
  const ScanVector not_finite = hn::Or(Order::not_finite(r), Order::not_finite(c));
  found.not_finite = hn::Max(found.not_finite, hn::Min(hn::Xor(r, c), not_finite));
}

template <typename Order>
ByteScan scan(const std::uint8_t* reference, const std::uint8_t* candidate, std::size_t count) {
  const ScanTag d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t whole = count / lanes * lanes;
  if (same_bytes(reference, candidate, whole) &&
      std::memcmp(reference + whole, candidate + whole, count - whole) == 0)
    return {};
  ScanVectors found{hn::Zero(d), hn::Zero(d)};
  for (std::size_t i = 0; i < whole; i += lanes)
    scan_vector<Order>(hn::LoadU(d, reference + i), hn::LoadU(d, candidate + i), found);
  if (whole < count) {
    // Zeros on both sides are no distance apart.
    alignas(64) std::uint8_t r[kBlockGranule] = {};
    alignas(64) std::uint8_t c[kBlockGranule] = {};
    std::memcpy(r, reference + whole, count - whole);
    std::memcpy(c, candidate + whole, count - whole);
    scan_vector<Order>(hn::Load(d, r), hn::Load(d, c), found);
  }
  alignas(64) std::uint8_t apart[kBlockGranule];
  hn::Store(found.apart, d, apart);
  ByteScan result{false, !hn::AllTrue(d, hn::Eq(found.not_finite, hn::Zero(d))), 0};
  for (std::size_t lane = 0; lane < lanes; ++lane)
    result.max_ulp = apart[lane] > result.max_ulp ? apart[lane] : result.max_ulp;
  return result;
}

ByteScan ScanUnsigned(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<UnsignedOrder>(r, c, count);
}
ByteScan ScanSigned(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<SignedOrder>(r, c, count);
}
ByteScan ScanBoolean(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<BooleanOrder>(r, c, count);
}
ByteScan ScanE4M3Fn(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<FloatOrder<Float8E4M3FnFormat>>(r, c, count);
}
ByteScan ScanE5M2(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<FloatOrder<Float8E5M2Format>>(r, c, count);
}
/// The order of patterns and the one NaN do not depend on where the exponent ends.
ByteScan ScanFnuz(const std::uint8_t* r, const std::uint8_t* c, std::size_t count) {
  return scan<FloatOrder<Float8E4M3FnuzFormat>>(r, c, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace parity::compare
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "error/error.h"

namespace parity::compare {

HWY_EXPORT(ScanUnsigned);
HWY_EXPORT(ScanSigned);
HWY_EXPORT(ScanBoolean);
HWY_EXPORT(ScanE4M3Fn);
HWY_EXPORT(ScanE5M2);
HWY_EXPORT(ScanFnuz);

ByteScan scan_bytes(tensor::DType dtype, std::span<const std::uint8_t> reference,
                    std::span<const std::uint8_t> candidate) {
  const std::uint8_t* r = reference.data();
  const std::uint8_t* c = candidate.data();
  const std::size_t count = reference.size();
  switch (dtype) {
    case tensor::DType::uint8:
      return HWY_DYNAMIC_DISPATCH(ScanUnsigned)(r, c, count);
    case tensor::DType::int8:
      return HWY_DYNAMIC_DISPATCH(ScanSigned)(r, c, count);
    case tensor::DType::boolean:
      return HWY_DYNAMIC_DISPATCH(ScanBoolean)(r, c, count);
    case tensor::DType::float8_e4m3fn:
      return HWY_DYNAMIC_DISPATCH(ScanE4M3Fn)(r, c, count);
    case tensor::DType::float8_e5m2:
      return HWY_DYNAMIC_DISPATCH(ScanE5M2)(r, c, count);
    default:
      PARITY_CHECK(dtype == tensor::DType::float8_e4m3fnuz ||
                   dtype == tensor::DType::float8_e5m2fnuz);
      return HWY_DYNAMIC_DISPATCH(ScanFnuz)(r, c, count);
  }
}

}  // namespace parity::compare
#endif  // HWY_ONCE

// Reads pairs of one floating dtype, of one integer dtype, and of two different dtypes through
// float64.
#include "compare/pair.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "compare/bound_kernel.h"
#include "compare/formats.h"
#include "compare/ulp.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::DType;
using tensor::TensorView;

template <typename T>
T load(std::span<const std::byte> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

PairKind kind_of(double reference, double candidate) {
  const bool reference_nan = std::isnan(reference);
  const bool candidate_nan = std::isnan(candidate);
  if (reference_nan || candidate_nan) {
    if (reference_nan && candidate_nan) return PairKind::both_nan;
    return reference_nan ? PairKind::nan_reference_only : PairKind::nan_candidate_only;
  }
  const bool reference_inf = std::isinf(reference);
  const bool candidate_inf = std::isinf(candidate);
  if (reference_inf && candidate_inf) {
    return reference == candidate ? PairKind::inf_equal : PairKind::inf_opposite;
  }
  if (reference_inf) return PairKind::inf_reference_only;
  return candidate_inf ? PairKind::inf_candidate_only : PairKind::finite;
}

/// Both sides share one floating format.
template <typename F>
class FloatSource final : public PairSource {
 public:
  using Bits = typename F::Bits;
  FloatSource(const TensorView& reference, const TensorView& candidate, DType dtype)
      : reference_(reference.bytes), candidate_(candidate.bytes), dtype_(dtype) {}

  [[nodiscard]] std::uint64_t elements() const override { return reference_.size() / sizeof(Bits); }
  [[nodiscard]] DType ulp_dtype() const override { return dtype_; }
  [[nodiscard]] PairBits bits(std::uint64_t index) const override {
    return {load<Bits>(reference_, index), load<Bits>(candidate_, index)};
  }
  void read(std::uint64_t first, std::span<Pair> pairs) const override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = pair_of(load<Bits>(reference_, first + i), load<Bits>(candidate_, first + i));
    }
  }

  [[nodiscard]] bool all_inside(std::uint64_t first, std::size_t count,
                                const AbsoluteBound& bound) const override {
    const std::size_t size_bytes = count * sizeof(Bits);
    return block_is_inside(dtype_, reference_.subspan(first * sizeof(Bits), size_bytes),
                           candidate_.subspan(first * sizeof(Bits), size_bytes), bound);
  }

 private:
  static Pair pair_of(Bits reference, Bits candidate) {
    Pair pair;
    pair.reference = F::to_double(reference);
    pair.candidate = F::to_double(candidate);
    if (F::is_finite(reference) && F::is_finite(candidate)) {
      pair.equal_bits = reference == candidate;
      pair.difference = pair.candidate - pair.reference;
      pair.ulp = F::steps(reference, candidate);
      const bool reference_zero = F::is_zero(reference);
      const bool candidate_zero = F::is_zero(candidate);
      pair.zero_sign = reference_zero && candidate_zero && reference != candidate;
      pair.flushed_to_zero = (reference_zero && F::is_subnormal(candidate)) ||
                             (candidate_zero && F::is_subnormal(reference));
    } else {
      pair.kind = kind_of(pair.reference, pair.candidate);
      pair.equal_bits = pair.kind == PairKind::both_nan || pair.kind == PairKind::inf_equal;
    }
    return pair;
  }

  std::span<const std::byte> reference_;
  std::span<const std::byte> candidate_;
  DType dtype_;
};

/// Both sides share one integer type. `bool` is stored as uint8: any non-zero byte is true.
template <typename T, DType dtype>
class IntegerSource final : public PairSource {
 public:
  IntegerSource(const TensorView& reference, const TensorView& candidate)
      : reference_(reference.bytes), candidate_(candidate.bytes) {}

  [[nodiscard]] std::uint64_t elements() const override { return reference_.size() / sizeof(T); }
  [[nodiscard]] DType ulp_dtype() const override { return dtype; }
  [[nodiscard]] PairBits bits(std::uint64_t index) const override {
    using Bits = std::make_unsigned_t<T>;
    return {load<Bits>(reference_, index), load<Bits>(candidate_, index)};
  }
  [[nodiscard]] bool all_inside(std::uint64_t first, std::size_t count,
                                const AbsoluteBound& bound) const override {
    return block_is_inside(dtype, reference_.subspan(first * sizeof(T), count * sizeof(T)),
                           candidate_.subspan(first * sizeof(T), count * sizeof(T)), bound);
  }
  void read(std::uint64_t first, std::span<Pair> pairs) const override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const T raw_reference = load<T>(reference_, first + i);
      const T raw_candidate = load<T>(candidate_, first + i);
      const T reference = value_of(raw_reference);
      const T candidate = value_of(raw_candidate);
      Pair& pair = pairs[i];
      pair = Pair{};
      pair.reference = static_cast<double>(reference);
      pair.candidate = static_cast<double>(candidate);
      pair.equal_bits = raw_reference == raw_candidate;
      pair.ulp = ulp_distance(Reference<T>{reference}, Candidate<T>{candidate});
      // From the exact distance: 64-bit values may be equal in float64 and still differ.
      pair.difference = static_cast<double>(pair.ulp) * (candidate < reference ? -1.0 : 1.0);
    }
  }

 private:
  static T value_of(T raw) {
    if constexpr (dtype == DType::boolean) return raw != 0 ? T{1} : T{0};
    return raw;
  }

  std::span<const std::byte> reference_;
  std::span<const std::byte> candidate_;
};

/// Two different dtypes: values in float64, ulp of the coarser one after rounding both sides to it.
class MixedSource final : public PairSource {
 public:
  MixedSource(const TensorView& reference, const TensorView& candidate, DType reference_dtype,
              DType candidate_dtype)
      : reference_(reference.bytes),
        candidate_(candidate.bytes),
        reference_reader_(value_reader(reference_dtype)),
        candidate_reader_(value_reader(candidate_dtype)),
        reference_size_(tensor::size_bytes(reference_dtype)),
        candidate_size_(tensor::size_bytes(candidate_dtype)),
        reference_min_normal_(smallest_normal(reference_dtype)),
        candidate_min_normal_(smallest_normal(candidate_dtype)),
        ulp_dtype_(coarser(reference_dtype, candidate_dtype)),
        ordinal_(ordinal_of(ulp_dtype_)) {}

  [[nodiscard]] std::uint64_t elements() const override {
    return reference_.size() / reference_size_;
  }
  [[nodiscard]] DType ulp_dtype() const override { return ulp_dtype_; }
  [[nodiscard]] PairBits bits(std::uint64_t index) const override {
    PairBits result;
    std::memcpy(&result.reference, reference_.data() + index * reference_size_, reference_size_);
    std::memcpy(&result.candidate, candidate_.data() + index * candidate_size_, candidate_size_);
    return result;
  }
  void read(std::uint64_t first, std::span<Pair> pairs) const override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = pair_of(reference_reader_(reference_.data() + (first + i) * reference_size_),
                         candidate_reader_(candidate_.data() + (first + i) * candidate_size_));
    }
  }

 private:
  [[nodiscard]] Pair pair_of(double reference, double candidate) const {
    Pair pair;
    pair.reference = reference;
    pair.candidate = candidate;
    pair.kind = kind_of(reference, candidate);
    if (pair.kind != PairKind::finite) {
      pair.equal_bits = pair.kind == PairKind::both_nan || pair.kind == PairKind::inf_equal;
      return pair;
    }
    const bool same_sign = std::signbit(reference) == std::signbit(candidate);
    pair.equal_bits = reference == candidate && same_sign;
    pair.zero_sign = reference == 0 && candidate == 0 && !same_sign;
    pair.flushed_to_zero =
        (reference == 0 && candidate != 0 && std::abs(candidate) < candidate_min_normal_) ||
        (candidate == 0 && reference != 0 && std::abs(reference) < reference_min_normal_);
    pair.difference = candidate - reference;
    const std::uint64_t from = ordinal_(std::abs(reference));
    const std::uint64_t to = ordinal_(std::abs(candidate));
    const std::uint64_t through_zero = from + to < from ? ~std::uint64_t{0} : from + to;
    pair.ulp = same_sign ? std::max(from, to) - std::min(from, to) : through_zero;
    return pair;
  }

  std::span<const std::byte> reference_;
  std::span<const std::byte> candidate_;
  ValueReader reference_reader_;
  ValueReader candidate_reader_;
  std::size_t reference_size_;
  std::size_t candidate_size_;
  double reference_min_normal_;
  double candidate_min_normal_;
  DType ulp_dtype_;
  Ordinal ordinal_;
};

std::unique_ptr<PairSource> make_equal_source(const TensorView& reference,
                                              const TensorView& candidate, DType dtype) {
  const auto make_float = [&]<typename F>(F) -> std::unique_ptr<PairSource> {
    return std::make_unique<FloatSource<F>>(reference, candidate, dtype);
  };
  const auto make_integer = [&]<typename T, DType d>() -> std::unique_ptr<PairSource> {
    return std::make_unique<IntegerSource<T, d>>(reference, candidate);
  };
  switch (dtype) {
    case DType::int64:
      return make_integer.template operator()<std::int64_t, DType::int64>();
    case DType::int32:
      return make_integer.template operator()<std::int32_t, DType::int32>();
    case DType::int16:
      return make_integer.template operator()<std::int16_t, DType::int16>();
    case DType::int8:
      return make_integer.template operator()<std::int8_t, DType::int8>();
    case DType::uint64:
      return make_integer.template operator()<std::uint64_t, DType::uint64>();
    case DType::uint32:
      return make_integer.template operator()<std::uint32_t, DType::uint32>();
    case DType::uint16:
      return make_integer.template operator()<std::uint16_t, DType::uint16>();
    case DType::uint8:
      return make_integer.template operator()<std::uint8_t, DType::uint8>();
    case DType::boolean:
      return make_integer.template operator()<std::uint8_t, DType::boolean>();
    default:
      return with_float_format(dtype, make_float);
  }
}

}  // namespace

bool PairSource::all_inside(std::uint64_t /*first*/, std::size_t /*count*/,
                            const AbsoluteBound& /*bound*/) const {
  return false;
}

double relative_error(const Pair& pair) {
  const double size = std::abs(pair.difference);
  if (!std::isinf(size)) return size / std::abs(pair.reference);
  // c-r alone passes the range; a quarter of each side does not.
  return std::abs(pair.candidate * 0.25 - pair.reference * 0.25) / std::abs(pair.reference * 0.25);
}

std::unique_ptr<PairSource> make_pair_source(Reference<TensorView> reference,
                                             Candidate<TensorView> candidate) {
  const DType left = reference.value.dtype;
  const DType right = candidate.value.dtype;
  if (tensor::is_complex(left) != tensor::is_complex(right)) {
    throw Error(ErrorKind::incompatible, "a " + std::string(tensor::name(left)) +
                                             " reference cannot be compared with a " +
                                             std::string(tensor::name(right)) +
                                             " candidate; record both sides with the same dtype");
  }
  const DType reference_part = tensor::component(left);
  const DType candidate_part = tensor::component(right);
  if (reference_part == candidate_part) {
    return make_equal_source(reference.value, candidate.value, reference_part);
  }
  return std::make_unique<MixedSource>(reference.value, candidate.value, reference_part,
                                       candidate_part);
}

}  // namespace parity::compare

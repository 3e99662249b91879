#include "fault/numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "compare/formats.h"
#include "error/error.h"

namespace parity::fault {
namespace {

using compare::Specials;
using tensor::DType;

constexpr std::size_t kBlock = 4096;

/// The pattern that stands for `value`, rounded to nearest even.
template <typename F>
typename F::Bits encode_float(double value) {
  using Bits = typename F::Bits;
  const Bits sign = std::signbit(value) ? F::kSign : Bits{0};
  if (std::isnan(value)) {
    if constexpr (F::kSpecials == Specials::fnuz) return F::kSign;
    if constexpr (F::kSpecials == Specials::fn) return F::kMagnitude;
    return static_cast<Bits>(F::kInfinity | (Bits{1} << (F::kMantissaBits - 1)));
  }
  constexpr Bits kLargest =
      F::kSpecials == Specials::ieee
          ? static_cast<Bits>(F::kInfinity - 1)
          : static_cast<Bits>(F::kMagnitude - (F::kSpecials == Specials::fn ? 1 : 0));
  constexpr Bits kPastLargest = F::kSpecials == Specials::ieee ? F::kInfinity : kLargest;
  const double magnitude = std::fabs(value);
  std::uint64_t ordinal = 0;
  if (std::isinf(magnitude)) {
    ordinal = kPastLargest;
  } else if constexpr (std::is_same_v<Bits, std::uint64_t>) {
    ordinal = std::bit_cast<std::uint64_t>(magnitude);
  } else if (magnitude >= compare::power_of_two(1 - F::kBias)) {
    constexpr unsigned kShift = 52U - F::kMantissaBits;
    std::uint64_t bits = std::bit_cast<std::uint64_t>(magnitude);
    bits += ((std::uint64_t{1} << (kShift - 1)) - 1) + ((bits >> kShift) & 1U);
    ordinal = (bits >> kShift) - (static_cast<std::uint64_t>(1023 - F::kBias) << F::kMantissaBits);
  } else {
    ordinal = static_cast<std::uint64_t>(
        std::rint(magnitude / compare::power_of_two(1 - F::kBias - F::kMantissaBits)));
  }
  const Bits bits = ordinal > kLargest ? kPastLargest : static_cast<Bits>(ordinal);
  // fnuz has one zero: the pattern of a negative one is its NaN.
  if (F::kSpecials == Specials::fnuz && bits == 0) return 0;
  return static_cast<Bits>(bits | sign);
}

template <typename T>
T encode_integer(double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::rint(value);
  if (whole <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (whole >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(whole);
}

template <typename T>
struct IntegerNumber {
  using Stored = T;
  static double decode(T stored) { return static_cast<double>(stored); }
  static T encode(double value) { return encode_integer<T>(value); }
};

struct BooleanNumber {
  using Stored = std::uint8_t;
  static double decode(std::uint8_t stored) { return stored == 0 ? 0 : 1; }
  static std::uint8_t encode(double value) { return value == 0 ? 0 : 1; }
};

template <typename F>
struct FloatNumber {
  using Stored = typename F::Bits;
  static double decode(Stored stored) { return F::to_double(stored); }
  static Stored encode(double value) { return encode_float<F>(value); }
};

/// Calls `body` with how numbers of the dtype, which is not complex, are stored.
template <typename Body>
auto with_number_kind(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::int64:
      return body(IntegerNumber<std::int64_t>{});
    case DType::int32:
      return body(IntegerNumber<std::int32_t>{});
    case DType::int16:
      return body(IntegerNumber<std::int16_t>{});
    case DType::int8:
      return body(IntegerNumber<std::int8_t>{});
    case DType::uint64:
      return body(IntegerNumber<std::uint64_t>{});
    case DType::uint32:
      return body(IntegerNumber<std::uint32_t>{});
    case DType::uint16:
      return body(IntegerNumber<std::uint16_t>{});
    case DType::uint8:
      return body(IntegerNumber<std::uint8_t>{});
    case DType::boolean:
      return body(BooleanNumber{});
    default:
      return compare::with_float_format(dtype,
                                        [&]<typename F>(F) { return body(FloatNumber<F>{}); });
  }
}

template <typename Kind>
double read(const std::byte* address) {
  typename Kind::Stored stored;
  std::memcpy(&stored, address, sizeof(stored));
  return Kind::decode(stored);
}

template <typename Kind>
void write(std::byte* address, double value) {
  const typename Kind::Stored stored = Kind::encode(value);
  std::memcpy(address, &stored, sizeof(stored));
}

bool is_same(double one, double other) {
  return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(other);
}

/// One block after the other, as numbers and as the bytes that they came from.
template <typename Kind, typename Use>
void in_blocks(const tensor::TensorView& tensor, const Use& use) {
  constexpr std::size_t kSize = sizeof(typename Kind::Stored);
  std::array<double, kBlock> numbers{};
  const std::size_t count = number_count(tensor);
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t length = std::min(kBlock, count - first);
    for (std::size_t i = 0; i < length; ++i)
      numbers[i] = read<Kind>(tensor.bytes.data() + (first + i) * kSize);
    use(std::span<double>(numbers.data(), length), first);
  }
}

std::vector<std::byte> copied(const tensor::TensorView& tensor) {
  return {tensor.bytes.begin(), tensor.bytes.end()};
}

}  // namespace

std::size_t number_count(const tensor::TensorView& tensor) {
  return tensor.bytes.size() / tensor::size_bytes(tensor::component(tensor.dtype));
}

double number_at(const tensor::TensorView& tensor, std::size_t place) {
  PARITY_CHECK(place < number_count(tensor));
  return with_number_kind(tensor::component(tensor.dtype), [&]<typename Kind>(Kind) {
    return read<Kind>(tensor.bytes.data() + place * sizeof(typename Kind::Stored));
  });
}

void each_block(const tensor::TensorView& tensor, const Look& look) {
  with_number_kind(tensor::component(tensor.dtype),
                   [&]<typename Kind>(Kind) { in_blocks<Kind>(tensor, look); });
}

tensor::HostTensor changed(const tensor::TensorView& tensor, const Change& change) {
  std::vector<std::byte> bytes = copied(tensor);
  with_number_kind(tensor::component(tensor.dtype), [&]<typename Kind>(Kind) {
    std::array<double, kBlock> before{};
    in_blocks<Kind>(tensor, [&](std::span<double> numbers, std::size_t first) {
      std::copy(numbers.begin(), numbers.end(), before.begin());
      change(numbers, first);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (is_same(numbers[i], before[i])) continue;
        write<Kind>(bytes.data() + (first + i) * sizeof(typename Kind::Stored), numbers[i]);
      }
    });
  });
  return {tensor.dtype, tensor.shape, std::move(bytes)};
}

tensor::HostTensor with_number(const tensor::TensorView& tensor, std::size_t place, double value) {
  PARITY_CHECK(place < number_count(tensor));
  std::vector<std::byte> bytes = copied(tensor);
  with_number_kind(tensor::component(tensor.dtype), [&]<typename Kind>(Kind) {
    write<Kind>(bytes.data() + place * sizeof(typename Kind::Stored), value);
  });
  return {tensor.dtype, tensor.shape, std::move(bytes)};
}

tensor::HostTensor converted(const tensor::TensorView& tensor, DType dtype) {
  PARITY_CHECK(tensor::is_complex(tensor.dtype) == tensor::is_complex(dtype));
  const std::size_t size = tensor::size_bytes(tensor::component(dtype));
  std::vector<std::byte> bytes(number_count(tensor) * size);
  with_number_kind(tensor::component(dtype), [&]<typename Kind>(Kind) {
    each_block(tensor, [&](std::span<const double> numbers, std::size_t first) {
      for (std::size_t i = 0; i < numbers.size(); ++i)
        write<Kind>(bytes.data() + (first + i) * size, numbers[i]);
    });
  });
  return {dtype, tensor.shape, std::move(bytes)};
}

double rms_of(const tensor::TensorView& tensor) {
  // Squares of float64 leave its own range.
  long double sum = 0;
  std::size_t count = 0;
  each_block(tensor, [&](std::span<const double> numbers, std::size_t /*first*/) {
    for (const double number : numbers) {
      if (!std::isfinite(number)) continue;
      sum += static_cast<long double>(number) * static_cast<long double>(number);
      ++count;
    }
  });
  if (count == 0) return 0;
  return static_cast<double>(std::sqrt(sum / static_cast<long double>(count)));
}

double rounded_to(DType dtype, double value) {
  return with_number_kind(tensor::component(dtype),
                          [&]<typename Kind>(Kind) { return Kind::decode(Kind::encode(value)); });
}

}  // namespace parity::fault

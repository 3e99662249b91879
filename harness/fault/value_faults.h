// The catalogue of faults in the values of one tap: each makes a spoilt copy, or says why it
// cannot. Compares nothing and knows no bound.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensor/host_tensor.h"

namespace parity::fault {

/// The value that is to be spoilt.
struct Subject {
  const tensor::HostTensor& value;
  /// The last value of the same shape and dtype before it; nullptr where there was none.
  const tensor::HostTensor* earlier = nullptr;
  bool is_logits = false;
};

struct Spoilt {
  std::optional<tensor::HostTensor> value;
  std::string reason;  ///< why the fault cannot be put in; empty where it was
};

/// Whether a gate has to see it however small it is.
enum class Severity : std::uint8_t { by_size, always_gross };

struct ValueFault {
  std::string_view name;  ///< "all_zero": in reports, and unique
  std::string_view text;  ///< "every element is 0"
  Spoilt (*spoil)(const Subject&) = nullptr;
  Severity severity = Severity::by_size;
};

/// In the order in which reports show them.
[[nodiscard]] std::span<const ValueFault> value_faults();

/// How clear a choice of logits has to be, in logits, before a flip of it is a fault: as in
/// compare::LogitsOptions.
inline constexpr double kDecidedGap = 2.0;

/// The dtype that a run in another one would have given in the place of `dtype`.
[[nodiscard]] tensor::DType other_dtype(tensor::DType dtype);

}  // namespace parity::fault

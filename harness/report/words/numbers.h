// Numbers as a person reads them in a table: short, and never rounded to a value that means
// something else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/facts.h"
#include "tensor/dtype.h"

namespace parity::report {

/// "3.1e-07"; "0" for exactly zero only; "nan", "inf", "-inf".
[[nodiscard]] std::string short_number(double value);

/// A limit as it was chosen: "0.99", "3.81e-06", "0".
[[nodiscard]] std::string limit_number(double value);

/// A count or an ulp distance: "12", "1048576", "1.2e+09" from ten million on.
[[nodiscard]] std::string short_count(double value);

/// Percent without its sign: "100" and "0" for exactly 1 and 0 only, else ">99.99", "12.34",
/// "<0.01".
[[nodiscard]] std::string percent(double share);

/// Enough digits to tell neighbours of `dtype` apart.
[[nodiscard]] std::string element_value(double value, tensor::DType dtype);

/// The bit pattern in hex, as wide as one element of `dtype`.
[[nodiscard]] std::string bit_pattern(std::uint64_t bits, tensor::DType dtype);

/// "[0,16,3]".
[[nodiscard]] std::string index_text(const std::vector<std::int64_t>& index);

/// "1 tap", "2 taps".
[[nodiscard]] std::string plural(std::uint64_t count, const std::string& noun);

/// The distribution of ulp distances in eight bars for 0, 1, 2, 3-4, 5-8, 9-64, 65-1024 and more
/// ulp; a dot where there is no element. The highest bar is the largest of the eight counts.
[[nodiscard]] std::string sparkline(const compare::Histogram& ulp);

}  // namespace parity::report

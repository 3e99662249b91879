// Which operator of a blamed layer computes something else than it should? From what each operator
// adds itself, measured against the same operator in float64, to the one with the largest excess.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace parity::gate {

/// The error of one operator call against its float64 value from the inputs it was given.
struct OwnError {
  std::string name;                              ///< "aten.softmax (attention.py:12)"
  std::string not_judged;                        ///< why there is no figure; else empty
  tensor::DType dtype = tensor::DType::float32;  ///< of the result
  double nrmse = 0;
  double max_error_over_rms = 0;
  double moved_nrmse = 0;  ///< of the float64 value when the inputs move by one unit roundoff each
};

/// What is left of an operator's own error beyond its rounding:
///
///     unit      = max(u, moved_nrmse)                        (u: unit roundoff of the dtype)
///     explained = 64 unit from float32 on, 2 unit below
///     excess    = max(nrmse, max_error_over_rms / 64) - explained
///
/// An operator is not blamed for what one rounding of its inputs does as well: a sum whose terms
/// cancel has few right digits in any backend.
struct OperatorBlame {
  std::vector<double> explained;       ///< nrmse, of each operator; 0 where it was not judged
  std::optional<std::size_t> culprit;  ///< the one with the largest excess
  std::string sentence;                ///< the finding in words; empty without operators
};

[[nodiscard]] OperatorBlame blame_operator(const std::vector<OwnError>& errors);

}  // namespace parity::gate

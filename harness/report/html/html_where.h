// Where in a tensor the HTML report says that it is wrong, for a reader who counts no axes.
// Words alone: which elements are outside was found by compare/.
#pragma once

#include <string>

#include "compare/facts.h"

namespace parity::report {

/// "1198 of 5120 elements outside (23.40 %), first at [0,0,32]; last axis: 32 to 63 of
/// 128, with 100 % of the excess". For facts that have elements outside.
[[nodiscard]] std::string html_where_text(const compare::TensorComparison& facts);

}  // namespace parity::report

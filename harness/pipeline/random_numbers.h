// The fact by which a golden says that its model drew random numbers.
#pragma once

namespace parity::pipeline {

inline constexpr const char* kRandomNumbers = "run.random_numbers";
inline constexpr const char* kDrawn = "drawn";

}  // namespace parity::pipeline

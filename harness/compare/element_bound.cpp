#include "compare/element_bound.h"

namespace parity::compare {
namespace {

/// Of the rms. 256, 16 and 2 u are where the built-in policy's nrmse fails (gate/default_policy.cpp
/// says what was measured for each), so that a tensor all of whose elements are outside fails by
/// its norm too; rounding noise of a norm of as much reaches six times its rms at most.
double roundings(tensor::DType component) {
  constexpr int kFloat32Bits = 24;
  constexpr int kBfloat16Bits = 8;
  const int bits = tensor::significand_bits(component);
  if (bits >= kFloat32Bits) return 256;
  return bits >= kBfloat16Bits ? 16 : 2;
}

}  // namespace

ElementBound element_bound(tensor::DType dtype) {
  if (tensor::is_integral(dtype)) return {};
  const tensor::DType component = tensor::component(dtype);
  const double of_rms = roundings(component) * tensor::unit_roundoff(component);
  return {2 * of_rms, of_rms};
}

}  // namespace parity::compare

#include "host/probe/dot_products.h"

namespace parity::host {

std::vector<double> computed(run::ProbeDevice& device, const std::vector<DotProduct>& products,
                             tensor::DType dtype, run::Fp32Precision precision) {
  // Sides that are multiples of 64 keep to the kernels that large layers get.
  constexpr std::size_t kTile = 64;
  const std::size_t side = (products.size() + kTile - 1) / kTile * kTile;
  run::Matrix a{side, kTerms, std::vector<double>(side * kTerms)};
  run::Matrix b{kTerms, side, std::vector<double>(side * kTerms)};
  for (std::size_t i = 0; i < products.size(); ++i) {
    for (const Term& term : products[i]) {
      a.values[i * kTerms + term.k] = term.a;
      b.values[term.k * side + i] = term.b;
    }
  }
  const run::Matrix result = device.product(a, b, dtype, precision);
  std::vector<double> values;
  for (std::size_t i = 0; i < products.size(); ++i)
    values.push_back(result.values.at(i * side + i));
  return values;
}

}  // namespace parity::host

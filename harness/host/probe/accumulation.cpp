// How a device adds up products. The vectors are of the kinds that tell matrix units apart in the
// literature: Fasi, Higham, Mikaitis, Pranesh (PeerJ CS 7:e330), FTTN (arXiv 2403.00232) and
// MMA-Sim (arXiv 2511.10909). Every result is small enough to be exact in any 16-bit type.
#include <array>
#include <cmath>
#include <string>

#include "host/probe/attempt.h"
#include "host/probe/dot_products.h"
#include "host/probe/probes.h"

namespace parity::host {
namespace {

constexpr std::array<std::size_t, 6> kDistances = {1, 2, 4, 8, 16, 32};
constexpr int kFewestBits = 16;
constexpr int kMostBits = 30;

double two_to(int exponent) { return std::ldexp(1.0, exponent); }

/// Ones, with 2^28 at place 0 and its negative at `distance`: ones that meet the large term before
/// it is gone are lost, but for those of an exact sum.
DotProduct order_product(std::size_t distance) {
  DotProduct product;
  for (std::size_t k = 0; k < kTerms; ++k) product.push_back({k, 1, 1});
  product[0] = {0, two_to(14), two_to(14)};
  product[distance] = {distance, two_to(14), -two_to(14)};
  return product;
}

/// A term of 2^-bits beside 1.5 * 1.5 and its negative, between them in order.
DotProduct bits_product(int bits) {
  const int half = (14 - bits) / 2;
  return {{0, 1.5 * two_to(7), 1.5 * two_to(7)},
          {1, two_to(half), two_to(14 - bits - half)},
          {2, 1.5 * two_to(7), -1.5 * two_to(7)}};
}

/// 2^24 + 1.5 in a sum of float32, where only even numbers have a place; then 2^24 is taken away.
DotProduct rounding_product(double sign) {
  return {{0, sign * two_to(12), two_to(12)},
          {kGroup, sign * 1.5, 1},
          {2 * kGroup, -sign * two_to(12), two_to(12)}};
}

/// A small sum that meets two large terms which cancel.
DotProduct residue_product(double sign) {
  return {{0, sign * two_to(-10), two_to(-10)},
          {kGroup, two_to(11), two_to(11)},
          {kGroup + 1, two_to(11), -two_to(11)}};
}

std::string bits_text(const double* results) {
  int bits = kFewestBits - 1;
  bool gap = false;
  for (int i = kFewestBits; i <= kMostBits; ++i) {
    const bool kept = results[i - kFewestBits] == two_to(14 - i);
    gap = gap || (kept && bits != i - 1);
    if (kept) bits = i;
  }
  if (bits < kFewestBits) return "none";
  return std::to_string(bits) + (bits == kMostBits ? "+" : "") + (gap ? " with gaps" : "");
}

std::string rounding_text(double up, double down) {
  if (up == 0 && down == 0) return "cut";
  if (up == 2 && down == -2) return "nearest";
  if (up == 0 && down == -2) return "floor";
  return short_text(up) + " " + short_text(down);
}

}  // namespace

run::Probe probe_accumulation(run::ProbeDevice& device, const std::string& name,
                              tensor::DType dtype, run::Fp32Precision precision) {
  return attempt(name, [&](run::Probe& probe) {
    std::vector<DotProduct> products;
    for (const std::size_t distance : kDistances) products.push_back(order_product(distance));
    for (int bits = kFewestBits; bits <= kMostBits; ++bits) products.push_back(bits_product(bits));
    const std::size_t others = products.size();
    for (const double sign : {1.0, -1.0}) products.push_back(rounding_product(sign));
    for (const double sign : {-1.0, 1.0}) products.push_back(residue_product(sign));
    const std::vector<double> results = computed(device, products, dtype, precision);
    probe.text = "order";
    for (std::size_t i = 0; i < kDistances.size(); ++i) probe.text += " " + short_text(results[i]);
    probe.text += ", bits " + bits_text(results.data() + kDistances.size());
    probe.text += ", round " + rounding_text(results[others], results[others + 1]);
    probe.text +=
        ", residue " + short_text(results[others + 2]) + " " + short_text(results[others + 3]);
  });
}

}  // namespace parity::host

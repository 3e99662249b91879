#include "model/inputs/normal.h"

#include <array>
#include <cmath>

namespace parity::model {
namespace {

using Coefficients = std::array<double, 8>;

// Numerator and denominator of the three ranges, highest power first.
constexpr Coefficients kCentreNumerator = {2.5090809287301226727e+3, 3.3430575583588128105e+4,
                                           6.7265770927008700853e+4, 4.5921953931549871457e+4,
                                           1.3731693765509461125e+4, 1.9715909503065514427e+3,
                                           1.3314166789178437745e+2, 3.3871328727963666080e+0};
constexpr Coefficients kCentreDenominator = {5.2264952788528545610e+3, 2.8729085735721942674e+4,
                                             3.9307895800092710610e+4, 2.1213794301586595867e+4,
                                             5.3941960214247511077e+3, 6.8718700749205790830e+2,
                                             4.2313330701600911252e+1, 1.0};
constexpr Coefficients kMiddleNumerator = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                           2.41780725177450611770e-1, 1.27045825245236838258e+0,
                                           3.64784832476320460504e+0, 5.76949722146069140550e+0,
                                           4.63033784615654529590e+0, 1.42343711074968357734e+0};
constexpr Coefficients kMiddleDenominator = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                             1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                             6.89767334985100004550e-1, 1.67638483018380384940e+0,
                                             2.05319162663775882187e+0, 1.0};
constexpr Coefficients kTailNumerator = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                         1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                         2.96560571828504891230e-1, 1.78482653991729133580e+0,
                                         5.46378491116411436990e+0, 6.65790464350110377720e+0};
constexpr Coefficients kTailDenominator = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                           1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                           1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                           5.99832206555887937690e-1,  1.0};

double ratio(const Coefficients& numerator, const Coefficients& denominator, double at) {
  double above = 0;
  double below = 0;
  for (std::size_t i = 0; i < numerator.size(); ++i) {
    above = above * at + numerator[i];
    below = below * at + denominator[i];
  }
  return above / below;
}

}  // namespace

double portable_log(double value) {
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  // ln 2 in two parts: the first has zeros at its end, so that its product with an exponent is
  // exact.
  constexpr double kLn2High = 0x1.62e42feep-1;
  constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
  constexpr int kLastPower = 25;
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);
  if (fraction < kSqrtHalf) {
    fraction = 2 * fraction;
    --exponent;
  }
  // log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...) with |s| <= 0.172; s^27/27 is below 1e-22.
  const double s = (fraction - 1) / (fraction + 1);
  const double square = s * s;
  double series = 0;
  for (int power = kLastPower; power >= 3; power -= 2) {
    series = (series + 1.0 / power) * square;
  }
  const double mantissa = 2 * s + 2 * s * series;
  return exponent * kLn2High + (mantissa + exponent * kLn2Low);
}

double normal_from_word(std::uint64_t word) {
  const double p = (static_cast<double>(word >> 12U) + 0.5) * 0x1p-52;
  const double q = p - 0.5;
  constexpr double kCentre = 0.425;
  if (q <= kCentre && q >= -kCentre) {
    return q * ratio(kCentreNumerator, kCentreDenominator, 0.180625 - q * q);
  }
  const double tail = q < 0 ? p : 1.0 - p;
  const double r = std::sqrt(-portable_log(tail));
  const double x = r <= 5.0 ? ratio(kMiddleNumerator, kMiddleDenominator, r - 1.6)
                            : ratio(kTailNumerator, kTailDenominator, r - 5.0);
  return q < 0 ? -x : x;
}

}  // namespace parity::model

#include "pipeline/stored/facts_agreement.h"

#include <array>
#include <cmath>
#include <limits>

#include "gate/pair_classes.h"

namespace parity::pipeline {
namespace {

using compare::ClassCounts;
using Rule = AgreementRule<MeasuredFacts>;
using Range = RangeRule<MeasuredFacts>;
using Facts = const MeasuredFacts&;

double finite(Facts m) { return number(m.facts.classes.finite); }
double elements(Facts m) { return number(m.facts.elements); }
double equal_bits(Facts m) { return number(m.facts.classes.equal_bits); }
double one_sided(Facts m) { return number(gate::one_sided(m.facts.classes)); }
double outside_elements(Facts m) { return number(m.facts.where.outside); }
double nrmse(Facts m) { return m.facts.nrmse; }
double cosine(Facts m) { return m.facts.cosine; }
double rms(Facts m) { return m.facts.reference_rms; }
double largest(Facts m) { return m.facts.absolute.max; }
double largest_over_rms(Facts m) { return m.facts.max_error_over_rms; }
double mean_signed(Facts m) { return m.facts.absolute.mean_signed; }
double largest_relative(Facts m) { return m.facts.relative.max; }
double largest_ulp(Facts m) { return number(m.facts.ulp.max); }
double zero_reference(Facts m) { return number(m.facts.classes.zero_reference); }
double exact_share(Facts m) { return m.facts.exact_share; }
double outside_share(Facts m) { return m.facts.where.share; }

/// Of all others, no difference overflows float64.
bool has_float64(Facts m) {
  return tensor::component(m.facts.reference_dtype) == tensor::DType::float64 ||
         tensor::component(m.facts.candidate_dtype) == tensor::DType::float64;
}

/// Neither end of float64's range is near: ratios of sums are what they are of exact numbers.
bool is_ordinary(Facts m) {
  constexpr double kFar = 1e-140;
  return std::isfinite(largest(m)) && std::isfinite(rms(m)) &&
         (!has_float64(m) || (rms(m) > kFar && (largest(m) == 0 || largest(m) > kFar)));
}

/// Finite pairs outside the element bound.
double finite_outside(Facts m) { return outside_elements(m) - one_sided(m); }

double expected_over_rms(Facts m) { return largest(m) == 0 ? 0 : largest(m) / rms(m); }

/// In parts of the reference's norm: all inside the bound, and of the others the largest error.
double most_nrmse(Facts m) {
  return m.bound.relative + m.bound.of_rms +
         largest_over_rms(m) * std::sqrt(finite_outside(m) / finite(m));
}

double least_nrmse(Facts m) { return m.bound.of_rms * std::sqrt(finite_outside(m) / finite(m)); }

double share_of(double count, Facts m) { return m.facts.elements == 0 ? 0 : count / elements(m); }

constexpr auto kRanges = std::to_array<Range>({
    {"nrmse", nrmse, 0, kInfinity},
    {"cosine", cosine, -1, 1},
    {"exact_share", exact_share, 0, 1},
    {"where.share", outside_share, 0, 1},
    {"absolute.max", largest, 0, kInfinity},
    {"absolute.mean_signed", mean_signed, -kInfinity, kInfinity},
    {"reference_rms", rms, 0, kInfinity},
    {"max_error_over_rms", largest_over_rms, 0, kInfinity},
    {"relative.max", largest_relative, 0, kInfinity},
});

/// Counts: classes against each other and against what is made of them alone.
constexpr auto kCounts = std::to_array<Rule>({
    {"classes.equal_bits", equal_bits, "those that can be equal, in classes,",
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return number(c.finite) + number(c.both_nan) + number(c.inf_equal);
     },
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return c.equal_bits >= c.both_nan + c.inf_equal && equal_finite(c) <= c.finite;
     }},
    {"classes.zero_sign", [](Facts m) { return number(m.facts.classes.zero_sign); },
     "the finite pairs of other bits",
     [](Facts m) { return finite(m) - number(equal_finite(m.facts.classes)); },
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return c.zero_sign <= c.finite - equal_finite(c);
     }},
    {"classes.zero_reference", zero_reference, "the finite pairs of other values",
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return number(c.finite - equal_finite(c) - c.zero_sign);
     },
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return c.zero_reference <= c.finite - equal_finite(c) - c.zero_sign;
     }},
    {"classes.flushed_to_zero", [](Facts m) { return number(m.facts.classes.flushed_to_zero); },
     "the finite pairs of other values",
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return number(c.finite - equal_finite(c) - c.zero_sign);
     },
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return c.flushed_to_zero <= c.finite - equal_finite(c) - c.zero_sign;
     }},
    {"exact_share", exact_share, "classes.equal_bits", equal_bits,
     [](Facts m) {
       return exact_share(m) == (m.facts.elements == 0 ? 1 : share_of(equal_bits(m), m));
     }},
    {"where.share", outside_share, "where.outside", outside_elements,
     [](Facts m) { return outside_share(m) == share_of(outside_elements(m), m); }},
    {"where.outside", outside_elements, "pairs with NaN or Inf on one side", one_sided,
     [](Facts m) { return outside_elements(m) >= one_sided(m); }},
    {"where.outside", outside_elements, "classes.equal_bits", equal_bits,
     [](Facts m) { return outside_elements(m) <= elements(m) - equal_bits(m); }},
    {"reference_all_nan", [](Facts m) { return m.facts.reference_all_nan ? 1.0 : 0.0; },
     "pairs whose reference is NaN",
     [](Facts m) {
       return number(m.facts.classes.both_nan) + number(m.facts.classes.nan_reference_only);
     },
     [](Facts m) {
       const ClassCounts& c = m.facts.classes;
       return m.facts.reference_all_nan ==
              (m.facts.elements > 0 && c.both_nan + c.nan_reference_only == m.facts.elements);
     }},
    {"reference_constant", [](Facts m) { return m.facts.reference_constant ? 1.0 : 0.0; },
     "compared", elements,
     [](Facts m) { return !m.facts.reference_constant || m.facts.elements >= 2; }},
});

/// Norms and largest errors. With d = c-r over n finite pairs: max(d)/sqrt(n) <= rms(d) <= max(d),
/// no reference is larger than its rms times sqrt(n), and 1 - cosine^2 <= nrmse^2.
constexpr auto kNorms = std::to_array<Rule>({
    {"absolute.max", largest, "the range of the dtype, up to",
     [](Facts) { return std::numeric_limits<double>::max(); },
     [](Facts m) { return std::isfinite(largest(m)) || has_float64(m); }},
    {"reference_rms", rms, "the range of the dtype, up to",
     [](Facts) { return std::numeric_limits<double>::max(); },
     [](Facts m) { return std::isfinite(rms(m)) || has_float64(m); }},
    {"absolute.max", largest, "classes.finite", finite,
     [](Facts m) { return finite(m) > 0 || largest(m) == 0; }},
    {"reference_rms", rms, "classes.finite", finite,
     [](Facts m) { return finite(m) > 0 || rms(m) == 0; }},
    {"max_error_over_rms", largest_over_rms, "absolute.max over reference_rms", expected_over_rms,
     [](Facts m) { return is_same(largest_over_rms(m), expected_over_rms(m)); }},
    {"nrmse", nrmse, "max_error_over_rms", largest_over_rms,
     [](Facts m) { return at_most(nrmse(m), largest_over_rms(m)); }},
    {"max_error_over_rms", largest_over_rms, "nrmse", nrmse,
     [](Facts m) {
       return !is_ordinary(m) || at_most(largest_over_rms(m), nrmse(m) * std::sqrt(finite(m)));
     }},
    {"nrmse", nrmse, "reference_rms", rms,
     [](Facts m) {
       return has_float64(m) || std::isfinite(nrmse(m)) == (rms(m) > 0 || largest(m) == 0);
     }},
    {"absolute.mean_signed", mean_signed, "absolute.max", largest,
     [](Facts m) { return at_most(std::abs(mean_signed(m)), largest(m)); }},
    {"absolute.mean_signed", mean_signed, "nrmse times reference_rms",
     [](Facts m) { return nrmse(m) * rms(m); },
     [](Facts m) {
       return !is_ordinary(m) || !std::isfinite(nrmse(m)) ||
              at_most(std::abs(mean_signed(m)), nrmse(m) * rms(m));
     }},
    {"cosine", cosine, "nrmse", nrmse,
     [](Facts m) {
       if (nrmse(m) == 0) return cosine(m) == 1 || !is_ordinary(m);
       // From there on a candidate of nearly nothing points anywhere.
       constexpr double kNothing = 1 - 1e-9;
       return nrmse(m) > kNothing || at_most(std::sqrt(1 - nrmse(m) * nrmse(m)), cosine(m));
     }},
    {"nrmse", nrmse, "relative.max", largest_relative,
     [](Facts m) { return zero_reference(m) > 0 || at_most(nrmse(m), largest_relative(m)); }},
    {"relative.max", largest_relative, "max_error_over_rms", largest_over_rms,
     [](Facts m) {
       return zero_reference(m) > 0 || !is_ordinary(m) || largest(m) == 0 ||
              at_most(largest_over_rms(m), largest_relative(m) * std::sqrt(finite(m)));
     }},
    {"relative.max", largest_relative, "absolute.max", largest,
     [](Facts m) { return largest(m) > 0 || largest_relative(m) == 0; }},
    {"classes.zero_reference", zero_reference, "absolute.max", largest,
     [](Facts m) { return largest(m) > 0 || zero_reference(m) == 0; }},
    {"ulp.max", largest_ulp, "absolute.max", largest,
     [](Facts m) {
       if (largest(m) == 0) return m.facts.ulp.max == 0;
       return m.facts.ulp.max > 0 || !is_one_format(m.facts);
     }},
    {"where.outside", outside_elements, "max_error_over_rms", largest_over_rms,
     [](Facts m) {
       return finite_outside(m) <= 0 || (largest(m) > 0 && !is_ordinary(m)) ||
              (largest(m) > 0 && at_most(m.bound.of_rms, largest_over_rms(m)));
     }},
    {"nrmse", nrmse, "where.outside", outside_elements,
     [](Facts m) {
       if (!is_ordinary(m) || finite(m) == 0 || !std::isfinite(largest_over_rms(m))) return true;
       return at_most(nrmse(m), most_nrmse(m)) && at_most(least_nrmse(m), nrmse(m));
     }},
});

}  // namespace

std::uint64_t equal_finite(const ClassCounts& classes) {
  return classes.equal_bits - classes.both_nan - classes.inf_equal;
}

bool is_one_format(const compare::TensorComparison& facts) {
  return tensor::component(facts.reference_dtype) == tensor::component(facts.candidate_dtype);
}

Contradiction contradiction_of(const MeasuredFacts& measured) {
  if (auto found = first_outside<MeasuredFacts>(kRanges, measured)) return found;
  if (auto found = first_broken<MeasuredFacts>(kCounts, measured)) return found;
  if (auto found = contradiction_of_distributions(measured)) return found;
  if (auto found = first_broken<MeasuredFacts>(kNorms, measured)) return found;
  return contradiction_of_places(measured);
}

}  // namespace parity::pipeline

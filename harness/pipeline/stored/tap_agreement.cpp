#include "pipeline/stored/tap_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compare/formats.h"
#include "gate/metrics.h"
#include "gate/noise.h"
#include "gate/policy.h"
#include "gate/truth.h"
#include "pipeline/compare/tap_truth.h"
#include "pipeline/stored/facts_agreement.h"

namespace parity::pipeline {
namespace {

using report::Tap;
using report::TapTruth;

tensor::DType candidate_dtype(const Tap& tap) {
  return tensor::dtype_from_name(tap.candidate_dtype.empty() ? tap.dtype : tap.candidate_dtype)
      .value();
}

/// The tap's own dtype, the coarser of the two sides'.
tensor::DType coarser_dtype(const Tap& tap) {
  return compare::coarser(tensor::dtype_from_name(tap.dtype).value(), candidate_dtype(tap));
}

/// Whose bounds judge a tap of which both sides have values.
tensor::DType judged_dtype(tensor::DType own, const Tap& tap) {
  return gate::bounds_dtype(own, tensor::dtype_from_name(tap.inherited_dtype));
}

MeasuredFacts measured(const Tap& tap, const compare::TensorComparison& facts) {
  tensor::Shape indexed = tap.shape;
  if (tensor::is_complex(facts.reference_dtype)) indexed.push_back(2);
  const tensor::DType own = compare::coarser(facts.reference_dtype, facts.candidate_dtype);
  return {facts, std::move(indexed), compare::element_bound(judged_dtype(own, tap))};
}

/// A tap with its truth, both of which were measured.
struct WithTruth {
  const compare::TensorComparison& facts;
  const TapTruth& truth;
};

using Both = const WithTruth&;

double nrmse(Both b) { return b.facts.nrmse; }
double reference_nrmse(Both b) { return b.truth.reference_nrmse; }
double candidate_nrmse(Both b) { return b.truth.candidate_nrmse; }
double reference_largest(Both b) { return b.truth.reference_max_error_over_rms; }
double candidate_largest(Both b) { return b.truth.candidate_max_error_over_rms; }

/// All three are finite everywhere, so that every figure is over the same elements.
bool is_finite(Both b) {
  return b.facts.classes.finite == b.facts.elements && b.truth.reference_one_sided == 0 &&
         b.truth.candidate_one_sided == 0 && std::isfinite(reference_nrmse(b)) &&
         std::isfinite(candidate_nrmse(b)) && std::isfinite(b.facts.nrmse);
}

/// |r| in parts of |t| is 1 + the reference's error at most.
double seen_from_truth(double error, Both b) { return error * (1 + reference_nrmse(b)); }

constexpr auto kTruthRanges = std::to_array<RangeRule<WithTruth>>({
    {"truth.reference_nrmse", reference_nrmse, 0, kInfinity},
    {"truth.candidate_nrmse", candidate_nrmse, 0, kInfinity},
    {"truth.reference_max_error_over_rms", reference_largest, 0, kInfinity},
    {"truth.candidate_max_error_over_rms", candidate_largest, 0, kInfinity},
    {"truth.reference_introduced_nrmse",
     [](Both b) { return b.truth.reference_introduced_nrmse.value_or(0); }, 0, kInfinity},
});

/// The three sides of a triangle, and each side's own norm and largest error.
constexpr auto kTruthRules = std::to_array<AgreementRule<WithTruth>>({
    {"truth.ratio", [](Both b) { return b.truth.ratio; }, "candidate_nrmse over reference_nrmse,",
     [](Both b) { return gate::error_ratio(candidate_nrmse(b), reference_nrmse(b)); },
     [](Both b) {
       return is_same(b.truth.ratio, gate::error_ratio(candidate_nrmse(b), reference_nrmse(b)));
     }},
    {"truth.reference_one_sided", [](Both b) { return number(b.truth.reference_one_sided); },
     "compared", [](Both b) { return number(b.facts.elements); },
     [](Both b) { return b.truth.reference_one_sided <= b.facts.elements; }},
    {"truth.candidate_one_sided", [](Both b) { return number(b.truth.candidate_one_sided); },
     "compared", [](Both b) { return number(b.facts.elements); },
     [](Both b) { return b.truth.candidate_one_sided <= b.facts.elements; }},
    {"truth.reference_nrmse", reference_nrmse, "truth.reference_max_error_over_rms",
     reference_largest,
     [](Both b) {
       const double most = std::sqrt(number(b.facts.elements));
       return at_most(reference_nrmse(b), reference_largest(b)) &&
              (!std::isfinite(reference_largest(b)) ||
               at_most(reference_largest(b), reference_nrmse(b) * most));
     }},
    {"truth.candidate_nrmse", candidate_nrmse, "truth.candidate_max_error_over_rms",
     candidate_largest,
     [](Both b) {
       const double most = std::sqrt(number(b.facts.elements));
       return at_most(candidate_nrmse(b), candidate_largest(b)) &&
              (!std::isfinite(candidate_largest(b)) ||
               at_most(candidate_largest(b), candidate_nrmse(b) * most));
     }},
    {"truth.candidate_nrmse", candidate_nrmse, "truth.reference_nrmse and nrmse,", nrmse,
     [](Both b) {
       return !is_finite(b) ||
              (at_most(candidate_nrmse(b), reference_nrmse(b) + seen_from_truth(nrmse(b), b)) &&
               at_most(reference_nrmse(b), candidate_nrmse(b) + seen_from_truth(nrmse(b), b)));
     }},
    {"nrmse", nrmse, "the errors of both sides against the truth, together",
     [](Both b) { return reference_nrmse(b) + candidate_nrmse(b); },
     [](Both b) {
       return !is_finite(b) || !at_most(reference_nrmse(b), 1) ||
              at_most(nrmse(b) * (1 - reference_nrmse(b)), reference_nrmse(b) + candidate_nrmse(b));
     }},
    {"truth.candidate_max_error_over_rms", candidate_largest,
     "truth.reference_max_error_over_rms and max_error_over_rms,",
     [](Both b) { return b.facts.max_error_over_rms; },
     [](Both b) {
       if (!is_finite(b) || !std::isfinite(b.facts.max_error_over_rms)) return true;
       const double apart = seen_from_truth(b.facts.max_error_over_rms, b);
       return at_most(candidate_largest(b), reference_largest(b) + apart) &&
              at_most(reference_largest(b), candidate_largest(b) + apart);
     }},
});

Contradiction of_truth(const Tap& tap) {
  if (!tap.facts) return disagreement("truth", "of values", "outcome", name(tap.outcome));
  const tensor::DType truth = tensor::dtype_from_name(tap.truth->dtype).value();
  for (const tensor::DType side : {tap.facts->reference_dtype, tap.facts->candidate_dtype}) {
    if (!is_more_precise(truth, side))
      return disagreement("truth.dtype", tap.truth->dtype, "dtype", tensor::name(side));
  }
  const WithTruth both{*tap.facts, *tap.truth};
  if (auto found = first_outside<WithTruth>(kTruthRanges, both)) return found;
  return first_broken<WithTruth>(kTruthRules, both);
}

std::optional<gate::Direction> direction_of(const std::string& metric) {
  if (const auto* known = gate::find_tensor_metric(metric)) return known->direction;
  if (const auto* known = gate::find_logits_metric(metric)) return known->direction;
  return std::nullopt;
}

Contradiction of_noise(const Tap& tap) {
  const run::TapNoise& noise = *tap.noise;
  if (noise.differing == 0 && !noise.figures.empty()) {
    return disagreement("noise.differing", 0.0, "noise.figures, of which there are",
                        number(noise.figures.size()));
  }
  for (const run::NoiseFigure& figure : noise.figures) {
    const std::string figure_name = "noise.figures." + figure.metric;
    const auto direction = direction_of(figure.metric);
    if (!direction) return figure_name + " is of a metric that does not exist";
    const bool is_share = *direction == gate::Direction::lower_is_worse;
    if (auto found = outside(figure_name, figure.value, figure.metric == "cosine" ? -1.0 : 0.0,
                             is_share ? 1 : kInfinity)) {
      return found;
    }
  }
  const auto norm = gate::noise_figure(&noise, "nrmse");
  const auto largest = gate::noise_figure(&noise, "max_error_over_rms");
  const bool has_both = norm && largest;
  const double most = std::sqrt(number(std::max<std::uint64_t>(tap.elements, 1)) * 2);
  if (has_both && (!at_most(*norm, *largest) ||
                   (std::isfinite(*largest) && !at_most(*largest, *norm * most)))) {
    return disagreement("noise.figures.nrmse", *norm, "noise.figures.max_error_over_rms", *largest);
  }
  return std::nullopt;
}

Contradiction of_rows(const Tap& tap) {
  const std::uint64_t width = tap.shape.empty() ? 1 : static_cast<std::uint64_t>(tap.shape.back());
  if (width == 0 || tap.rows->of * width == tap.elements) return std::nullopt;
  return disagreement("rows.of", number(tap.rows->of), "rows in shape,",
                      number(tap.elements / width));
}

/// A verdict on what was measured names whose bounds gave it; of others there are none.
Contradiction of_bounds_dtype(const Tap& tap) {
  const std::string expected =
      tap.facts ? std::string(tensor::name(judged_dtype(coarser_dtype(tap), tap))) : std::string{};
  const auto shown = [](const std::string& text) { return text.empty() ? "null" : text; };
  if (tap.bounds_dtype != expected) {
    return disagreement("bounds_dtype", shown(tap.bounds_dtype), "that of its dtypes,",
                        shown(expected));
  }
  if (!tap.facts && !tap.rule.empty())
    return disagreement("rule", tap.rule, "outcome", name(tap.outcome));
  return std::nullopt;
}

Contradiction of_measured(const Tap& tap) {
  if (tap.outcome == report::Outcome::digest_equal && !tap.candidate_dtype.empty())
    return disagreement("outcome", "digest_equal", "candidate_dtype", tap.candidate_dtype);
  const bool has_both = tap.outcome != report::Outcome::missing &&
                        tap.outcome != report::Outcome::additional &&
                        tap.outcome != report::Outcome::shape_differs;
  if (tap.introduced && !has_both)
    return disagreement("introduced", "of values", "outcome", name(tap.outcome));
  if (tap.shapes && (tap.shapes->reference == tap.shapes->candidate ||
                     tap.shapes->reference != tensor::Shape(tap.shape))) {
    return disagreement("shapes.reference", tensor::to_string(tap.shapes->reference), "shape",
                        tensor::to_string(tap.shape));
  }
  return std::nullopt;
}

}  // namespace

Contradiction contradiction_of(const Tap& tap) {
  if (auto found = of_measured(tap)) return found;
  if (tap.rows) {
    if (auto found = of_rows(tap)) return found;
  }
  if (tap.facts) {
    if (auto found = contradiction_of(measured(tap, *tap.facts))) return found;
  }
  if (tap.introduced) {
    if (auto found = contradiction_of(measured(tap, *tap.introduced)))
      return "introduced." + *found;
  }
  if (tap.truth) {
    if (auto found = of_truth(tap)) return found;
  }
  if (tap.noise) {
    if (auto found = of_noise(tap)) return found;
  }
  return of_bounds_dtype(tap);
}

}  // namespace parity::pipeline

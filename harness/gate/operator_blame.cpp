#include "gate/operator_blame.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "gate/attribution.h"

namespace parity::gate {
namespace {

double explained_of(const OwnError& error) {
  if (!error.not_judged.empty()) return 0;
  const double rounding =
      tensor::is_integral(error.dtype) ? 0 : tensor::unit_roundoff(tensor::component(error.dtype));
  const double moved = std::isnan(error.moved_nrmse) ? 0 : error.moved_nrmse;
  return explained_by_rounding(error.dtype, std::max(rounding, moved));
}

/// Zero or less: within rounding.
double excess_of(const OwnError& error, double explained) {
  if (std::isinf(explained)) return 0;
  const double nrmse = std::isfinite(error.nrmse) ? error.nrmse : 1;
  const double outlier = std::isfinite(error.max_error_over_rms) ? error.max_error_over_rms : 0;
  return std::max(nrmse, outlier / explained_outlier(1)) - explained;
}

/// "; not judged: aten.mul, aten.add (its result is of float64 already)": by reason, in order.
std::string not_judged_text(const std::vector<OwnError>& errors) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const OwnError& error : errors) {
    if (error.not_judged.empty()) continue;
    const auto found = std::find_if(by_reason.begin(), by_reason.end(), [&](const auto& entry) {
      return entry.first == error.not_judged;
    });
    if (found == by_reason.end()) {
      by_reason.emplace_back(error.not_judged, error.name);
    } else {
      found->second += ", " + error.name;
    }
  }
  std::string text;
  for (const auto& [reason, names] : by_reason)
    text += (text.empty() ? "; not judged: " : "; ") + names + " (" + reason + ")";
  return text;
}

std::string sentence_without_culprit(const std::vector<OwnError>& errors) {
  const OwnError* largest = nullptr;
  for (const OwnError& error : errors) {
    if (!error.not_judged.empty()) continue;
    if (largest == nullptr || error.nrmse > largest->nrmse) largest = &error;
  }
  const std::string others = not_judged_text(errors);
  const bool any_rounds = largest != nullptr && largest->nrmse > 0;
  if (!others.empty() && !any_rounds) return "no operator could be judged by itself" + others;
  const std::string most =
      any_rounds ? fmt::format(" (own error up to {:.1e}, {})", largest->nrmse, largest->name) : "";
  return (others.empty() ? "every operator of the candidate" : "every operator that was judged") +
         (" is within rounding of its float64 value from the inputs it was given" + most) + ": " +
         (others.empty() ? "" : "either an operator that was not differs, or ") +
         "the two sides do not compute the same thing there; compare weights, constants and "
         "operators of both" +
         others;
}

}  // namespace

OperatorBlame blame_operator(const std::vector<OwnError>& errors) {
  OperatorBlame blame;
  double largest = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    blame.explained.push_back(explained_of(errors[i]));
    if (!errors[i].not_judged.empty()) continue;
    const double excess = excess_of(errors[i], blame.explained[i]);
    if (!(excess > largest)) continue;
    largest = excess;
    blame.culprit = i;
  }
  if (errors.empty()) return blame;
  if (!blame.culprit) {
    blame.sentence = sentence_without_culprit(errors);
    return blame;
  }
  const OwnError& culprit = errors[*blame.culprit];
  blame.sentence = fmt::format(
      "{} has an own error of {:.1e} where {:.1e} is explained, from the inputs it was given",
      culprit.name, culprit.nrmse, blame.explained[*blame.culprit]);
  return blame;
}

}  // namespace parity::gate

#include "gate/truth.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "gate/metrics.h"
#include "gate/pair_classes.h"

namespace parity::gate {
namespace {

using compare::TensorComparison;
using run::Verdict;

/// A side that is further at fewer taps than this is so by chance.
constexpr double kWorseShare = 0.1;

bool is_outside_bounds(const Judgement& judgement) {
  return judgement.verdict == Verdict::suspect || judgement.verdict == Verdict::diverged;
}

/// What one number of both sides says under the rule; "" when the candidate is no further.
std::string objection(const TruthRule& rule, std::string_view what, double candidate,
                      double reference) {
  if (rule.no_further(candidate, reference)) return {};
  return fmt::format("further from the truth than the reference: {} {:.3g} {}", what, candidate,
                     beyond_text(candidate, fmt::format("{:g} x {:.3g}", rule.factor, reference),
                                 Direction::higher_is_worse));
}

std::string objection_to(const TruthErrors& errors, const TruthRule& rule) {
  if (errors.candidate.one_sided > 0) return "NaN or Inf in the candidate or in the truth alone";
  std::string text = objection(rule, "nrmse", errors.candidate.nrmse, errors.reference.nrmse);
  if (!text.empty()) return text;
  return objection(rule, "max_error_over_rms", errors.candidate.max_error_over_rms,
                   errors.reference.max_error_over_rms);
}

std::string objection_to(const LogitsTruth& truth, const TruthRule& rule) {
  if (truth.reference.non_finite_rows + truth.candidate.non_finite_rows > 0)
    return "positions with NaN or +Inf cannot be measured against the truth";
  if (truth.flips.decided_elsewhere > 0) {
    return fmt::format("the truth does not have the candidate's choice at {} of {} decided flips",
                       truth.flips.decided_elsewhere, truth.flips.decided);
  }
  std::string text = objection(rule, "kl.mean", truth.candidate.kl.mean, truth.reference.kl.mean);
  if (!text.empty()) return text;
  return objection(rule, "kl.max", truth.candidate.kl.max, truth.reference.kl.max);
}

/// The bounds' reasons stay behind the new one.
Judgement closer(Judgement judgement, std::string reason) {
  judgement.verdict = Verdict::closer;
  judgement.reasons.insert(judgement.reasons.begin(), std::move(reason));
  return judgement;
}

std::string times(double factor) {
  return std::isinf(factor) ? "infinitely many" : fmt::format("{:.3g}", factor);
}

/// Taps where one side is further from the truth than the other.
struct Side {
  std::vector<double> ratios;
  const TruthEntry* first = nullptr;

  void add(double error, double other, const TruthEntry& entry, const TruthRule& rule) {
    const bool comparable = std::isfinite(error) || std::isfinite(other);
    if (!comparable || std::isnan(error) || std::isnan(other)) return;
    if (rule.no_further(error, other)) return;
    ratios.push_back(error_ratio(error, other));
    if (first == nullptr) first = &entry;
  }
};

std::string sentence_of(const Side& side, std::string_view worse, std::string_view better,
                        std::size_t taps, const std::string& truth) {
  std::vector<double> ratios = side.ratios;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return fmt::format(
      "the {} is the worse side: its error against the {} truth is {} times the {}'s (median) at "
      "{} of {} taps, first at {} of case {}",
      worse, truth, times(*middle), better, side.ratios.size(), taps,
      run::to_string(side.first->tap), side.first->case_name);
}

}  // namespace

TruthRule truth_rule(const Policy& policy, tensor::DType dtype) {
  return {policy.for_dtype(dtype).truth_factor, tensor::unit_roundoff(tensor::component(dtype))};
}

Judgement judge_by_truth(Judgement judgement, const TensorComparison& facts,
                         const TruthErrors& errors, const Policy& policy) {
  const TruthRule rule = truth_rule(policy, facts.ulp.dtype);
  std::string text = objection_to(errors, rule);
  if (judgement.verdict == Verdict::non_finite) {
    if (errors.candidate.one_sided == 0 && errors.reference.one_sided > 0)
      judgement.reasons.emplace_back("the truth is like the candidate there");
    return judgement;
  }
  if (judgement.verdict == Verdict::within && !text.empty()) {
    judgement.reasons.push_back(std::move(text));
    return judgement;
  }
  if (!is_outside_bounds(judgement) || is_only_flushing(facts)) return judgement;
  if (!text.empty()) {
    judgement.reasons.push_back(std::move(text));
    return judgement;
  }
  return closer(
      std::move(judgement),
      fmt::format("no further from the truth than the reference: nrmse {:.3g} against "
                  "{:.3g}, max_error_over_rms {:.3g} against {:.3g}",
                  errors.candidate.nrmse, errors.reference.nrmse,
                  errors.candidate.max_error_over_rms, errors.reference.max_error_over_rms));
}

Judgement judge_logits_by_truth(Judgement judgement, const LogitsTruth& truth, tensor::DType dtype,
                                const Policy& policy) {
  if (!is_outside_bounds(judgement)) return judgement;
  TruthRule rule = truth_rule(policy, dtype);
  rule.floor *= rule.floor;
  if (std::string text = objection_to(truth, rule); !text.empty()) {
    judgement.reasons.push_back(std::move(text));
    return judgement;
  }
  return closer(
      std::move(judgement),
      fmt::format("no further from the truth than the reference: kl.mean {:.3g} against "
                  "{:.3g}, kl.max {:.3g} against {:.3g}; the truth has the candidate's "
                  "choice at {} of {} flips",
                  truth.candidate.kl.mean, truth.reference.kl.mean, truth.candidate.kl.max,
                  truth.reference.kl.max, truth.flips.candidate, truth.flips.flips));
}

double error_ratio(double candidate, double reference) {
  if (candidate == 0 && reference == 0) return 1;
  return candidate / reference;
}

TruthSummary summarize_truth(const std::vector<TruthEntry>& entries, const std::string& truth) {
  Side reference;
  Side candidate;
  for (const TruthEntry& entry : entries) {
    const TruthRule rule{entry.factor, tensor::unit_roundoff(tensor::component(entry.dtype))};
    reference.add(entry.reference_nrmse, entry.candidate_nrmse, entry, rule);
    candidate.add(entry.candidate_nrmse, entry.reference_nrmse, entry, rule);
  }
  TruthSummary summary;
  summary.taps = entries.size();
  summary.reference_worse = reference.ratios.size();
  summary.candidate_worse = candidate.ratios.size();
  const std::uint64_t worse = std::max(summary.reference_worse, summary.candidate_worse);
  if (static_cast<double>(worse) < kWorseShare * static_cast<double>(entries.size()))
    return summary;
  if (summary.reference_worse > summary.candidate_worse) {
    summary.worse = WorseSide::reference;
    summary.sentence = sentence_of(reference, "reference", "candidate", entries.size(), truth);
  } else if (summary.candidate_worse > summary.reference_worse) {
    summary.worse = WorseSide::candidate;
    summary.sentence = sentence_of(candidate, "candidate", "reference", entries.size(), truth);
  }
  return summary;
}

}  // namespace parity::gate

#include "report/words/case_figures.h"

#include <algorithm>

namespace parity::report {

const Tap* worst_tap(const Case& item) {
  const Tap* worst = nullptr;
  for (const Tap& tap : item.taps) {
    if (!tap.facts) continue;
    if (worst == nullptr || !(tap.facts->nrmse <= worst->facts->nrmse)) worst = &tap;
  }
  return worst;
}

std::uint64_t suspect_taps(const Case& item) {
  return static_cast<std::uint64_t>(
      std::count_if(item.taps.begin(), item.taps.end(),
                    [](const Tap& tap) { return tap.verdict == run::Verdict::suspect; }));
}

std::uint64_t failed_taps(const Case& item) {
  return static_cast<std::uint64_t>(std::count_if(
      item.taps.begin(), item.taps.end(), [](const Tap& tap) { return is_failure(tap.verdict); }));
}

std::optional<WorstLogits> worst_logits(const Case& item) {
  if (item.logits.empty()) return std::nullopt;
  WorstLogits worst;
  const auto add = [&](const compare::LogitsComparison& facts) {
    worst.top1_agreement = std::min(worst.top1_agreement, facts.top1_agreement);
    worst.kl_mean = std::max(worst.kl_mean, facts.kl.mean);
    worst.decided_flips = std::max(worst.decided_flips, facts.decided_flips);
  };
  // Of a decode's steps, which have one position each, all together.
  for (const Logits& logits : item.logits) {
    if (!item.decode || logits.id.call == 0) add(logits.facts);
  }
  if (item.decode) add(item.decode->logits);
  return worst;
}

bool is_fine(run::Verdict verdict) {
  return verdict != run::Verdict::suspect && !is_failure(verdict);
}

bool is_failure(run::Verdict verdict) { return !run::passes(verdict, run::Strictness::normal); }

}  // namespace parity::report

#include "report/words/user_effect.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "report/terminal/tap_rows.h"
#include "report/words/case_figures.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

constexpr int kLongestReason = 200;

void add_to(TokenEffect& all, const compare::LogitsComparison& facts, run::Verdict verdict,
            const std::vector<std::string>& reasons) {
  std::string& reason = is_failure(verdict) ? all.failure : all.warning;
  if (!is_fine(verdict) && reason.empty() && !reasons.empty())
    reason = keep_head(clean(reasons.front()), kLongestReason);
  ++all.outputs;
  all.failed += is_failure(verdict) ? 1 : 0;
  all.positions += facts.positions;
  all.flips += facts.flips;
  all.decided += facts.decided_flips;
  all.non_finite += facts.non_finite_rows;
  all.gap = facts.decided_gap;
  all.largest_flip_gap = std::max(all.largest_flip_gap, facts.max_flip_gap);
  all.kl_mean = std::max(all.kl_mean, facts.kl.mean);
  all.kl_max = std::max(all.kl_max, facts.kl.max);
}

}  // namespace

TokenEffect token_effect(const Report& report) {
  TokenEffect all;
  for (const Case& item : report.cases) {
    for (const Logits& logits : item.logits) {
      if (!item.decode || logits.id.call == 0)
        add_to(all, logits.facts, logits.verdict, logits.reasons);
    }
    if (item.decode) {
      add_to(all, item.decode->logits, item.decode->verdict, item.decode->reasons);
    }
  }
  return all;
}

std::string answer_of(const TokenEffect& all) {
  const std::string positions = plural(all.positions, "position");
  if (all.non_finite > 0 && all.failed > 0) {
    return fmt::format("Yes: at {} of {} the logits have NaN or infinity.", all.non_finite,
                       positions);
  }
  if (all.decided > 0) {
    return fmt::format(
        "Yes: at {} of {} the best token changes although the reference was decided "
        "(its two best at least {:g} logits apart).",
        all.decided, positions, all.gap);
  }
  const bool failed = all.failed > 0;
  if (all.flips > 0) {
    return fmt::format(
        "{}: at {} of {} another token is best, {} (the reference's two best at most {} logits "
        "apart).",
        failed ? "Yes" : "Hardly", all.flips, positions,
        all.flips == 1 ? "a close call" : "all of them close calls",
        limit_number(all.largest_flip_gap));
  }
  const std::string same = "the best token is the same at " +
                           (all.positions == 1 ? "the only position" : "all " + positions);
  return failed
             ? fmt::format("Perhaps: {}, but the logits moved beyond a bound of the policy.", same)
             : fmt::format("No: {}.", same);
}

std::string effect_without_logits(const Report& report) {
  const Tap* worst = nullptr;
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      if (tap.id.kind != run::TapKind::output || !tap.facts) continue;
      if (worst == nullptr || !(tap.facts->nrmse <= worst->facts->nrmse)) worst = &tap;
    }
  }
  std::string text = "Not known from tokens: no output was compared as logits.";
  if (worst != nullptr) {
    text += fmt::format(
        " The model's own output is {}, at worst nrmse {} (0 is equal, 1 is as large "
        "as the values themselves).",
        run::name(worst->verdict), short_number(worst->facts->nrmse));
  }
  return text;
}

std::vector<std::string> user_effect(const Report& report) {
  const TokenEffect all = token_effect(report);
  if (all.outputs == 0) return {effect_without_logits(report)};
  std::vector<std::string> sentences = {
      answer_of(all), fmt::format("The distribution over tokens moved by KL {} nat on average "
                                  "(worst case) and {} nat at most; 0 is the same distribution.",
                                  short_number(all.kl_mean), short_number(all.kl_max))};
  const bool by_flips = all.flips > 0 && all.decided == 0 && all.non_finite == 0;
  if (by_flips && all.failed > 0) sentences.front() += " That is beyond a bound of the policy.";
  if (all.non_finite > 0 && all.failed == 0) {
    sentences.push_back(fmt::format("{} with NaN or infinity, on both sides alike, in no figure.",
                                    plural(all.non_finite, "position")));
  }
  return sentences;
}

}  // namespace parity::report

#include "report/words/tap_details.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/terminal/tap_rows.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

constexpr std::string_view kIndent = "      ";

std::string axis_text(const compare::AxisRange& range) {
  std::string where;
  if (range.first == range.last) {
    where = fmt::format("axis {} = {}", range.axis, range.first);
  } else if (range.last == range.size - 1) {
    where = fmt::format("axis {} >= {}", range.axis, range.first);
  } else if (range.first == 0) {
    where = fmt::format("axis {} <= {}", range.axis, range.last);
  } else {
    where = fmt::format("axis {} in {}..{}", range.axis, range.first, range.last);
  }
  return fmt::format("{} (of {}; {} % of the excess)", where, range.size, percent(range.share));
}

void add_where(Page& page, const compare::TensorComparison& facts) {
  if (facts.where.outside > 0) page.wrapped(fmt::format("{}where: ", kIndent), where_text(facts));
}

void add_own_names(Page& page, const Tap& tap) {
  if (tap.candidate_taps.empty()) return;
  std::string names;
  for (const std::string& name : tap.candidate_taps)
    names += (names.empty() ? "" : " + ") + clean(name);
  page.wrapped(kIndent, "compared with the candidate's " + names);
}

void add_worst(Page& page, const compare::TensorComparison& facts, int top) {
  const auto count = std::min(facts.worst.size(), static_cast<std::size_t>(std::max(0, top)));
  for (std::size_t i = 0; i < count; ++i) {
    const compare::Element& element = facts.worst[i];
    page.wrapped(fmt::format("{}worst: ", kIndent),
                 fmt::format("{} reference {} ({}) candidate {} ({})", index_text(element.index),
                             element_value(element.reference, facts.reference_dtype),
                             bit_pattern(element.reference_bits, facts.reference_dtype),
                             element_value(element.candidate, facts.candidate_dtype),
                             bit_pattern(element.candidate_bits, facts.candidate_dtype)));
  }
}

void add_first_divergent(std::string& text, const std::vector<std::int64_t>& positions) {
  std::string list;
  std::size_t count = 0;
  constexpr std::size_t kListed = 4;
  for (std::size_t sequence = 0; sequence < positions.size(); ++sequence) {
    if (positions[sequence] < 0 || ++count > kListed) continue;
    list +=
        fmt::format("{}{} (sequence {})", list.empty() ? "" : ", ", positions[sequence], sequence);
  }
  if (count == 0) return;
  text += "; first divergent position " + list;
  if (count > kListed) text += fmt::format(" and in {} more", plural(count - kListed, "sequence"));
}

}  // namespace

std::string where_text(const compare::TensorComparison& facts) {
  const compare::Where& where = facts.where;
  std::string text = fmt::format("{} of {} elements outside ({} %), first at {}", where.outside,
                                 facts.elements, percent(where.share), index_text(where.first));
  for (const compare::AxisRange& range : where.axes) text += "; " + axis_text(range);
  return text;
}

void add_tap_details(Page& page, const Tap& tap, std::string_view mark, int top) {
  page.wrapped(pad_right(mark, 2), fmt::format("{}: {}", tap_name(tap.id), run::name(tap.verdict)),
               tone_of(tap.verdict));
  for (const std::string& reason : tap.reasons) page.wrapped(kIndent, reason);
  add_own_names(page, tap);
  if (!tap.facts) {
    if (!tap.candidate_dtype.empty() && tap.candidate_dtype != tap.dtype) {
      // The column of dtypes may have been dropped.
      page.wrapped(kIndent, fmt::format("{} in the reference, {} in the candidate", tap.dtype,
                                        tap.candidate_dtype));
    }
    return;
  }
  if (!tap.rule.empty()) page.wrapped(kIndent, "judged by rule " + tap.rule);
  if (tap.truth) {
    page.wrapped(kIndent, fmt::format("against the {} truth: nrmse {} of the reference, {} of the "
                                      "candidate",
                                      tap.truth->dtype, short_number(tap.truth->reference_nrmse),
                                      short_number(tap.truth->candidate_nrmse)));
  }
  add_where(page, *tap.facts);
  if (tap.facts->absolute.max != 0) {
    page.wrapped(kIndent,
                 fmt::format("largest absolute error {}, mean signed error {}, cosine {:.9g}",
                             short_number(tap.facts->absolute.max),
                             short_number(tap.facts->absolute.mean_signed), tap.facts->cosine));
  }
  for (const compare::Hint& hint : tap.facts->hints) {
    page.wrapped(fmt::format("{}hint ({}): ", kIndent, clean(hint.pattern)), hint.evidence);
  }
  add_worst(page, *tap.facts, top);
}

void add_logits(Page& page, const Logits& logits, std::string_view mark) {
  const compare::LogitsComparison& facts = logits.facts;
  std::string text =
      fmt::format("{}, top-1 agreement {} %, {}", plural(facts.positions, "position"),
                  percent(facts.top1_agreement), plural(facts.flips, "flip"));
  if (facts.flips > 0) {
    text += fmt::format(" ({} decided, at a gap of {:g} or more; largest gap of a flip {})",
                        facts.decided_flips, facts.decided_gap, short_number(facts.max_flip_gap));
  }
  for (const auto& [k, share] : facts.topk_overlap)
    text += fmt::format(", top-{} overlap {} %", k, percent(share));
  text += fmt::format(", KL mean {} p99 {} max {} nat, largest change of a log-probability {} nat",
                      short_number(facts.kl.mean), short_number(facts.kl.p99),
                      short_number(facts.kl.max), short_number(facts.max_logprob_change));
  if (facts.non_finite_rows > 0) {
    text += fmt::format("; {} with NaN or +Inf, in no figure",
                        plural(facts.non_finite_rows, "position"));
  }
  add_first_divergent(text, facts.first_divergent);
  page.wrapped(pad_right(mark, 2),
               fmt::format("logits {}: {}", tap_name(logits.id), run::name(logits.verdict)),
               tone_of(logits.verdict));
  page.wrapped(kIndent, text);
  if (logits.truth) {
    page.wrapped(kIndent,
                 fmt::format("KL from the truth: mean {} nat of the reference, {} of the candidate",
                             short_number(logits.truth->reference_kl.mean),
                             short_number(logits.truth->candidate_kl.mean)));
  }
  for (const std::string& reason : logits.reasons) page.wrapped(kIndent, reason);
  if (!logits.rule.empty()) page.wrapped(kIndent, "judged by rule " + logits.rule);
}

}  // namespace parity::report

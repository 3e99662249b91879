#include "report/terminal/decode_section.h"

#include <fmt/format.h>

#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

/// Steps whose logits do not pass, with their figures; the JSON report has all of them.
constexpr std::size_t kSteps = 5;
constexpr std::string_view kIndent = "      ";

std::string agreement_text(const Decode& decode) {
  std::string text = fmt::format("{} of {} agree", decode.agree, plural(decode.compared, "token"));
  if (decode.compared < decode.tokens)
    text += fmt::format("; {} could not be compared", decode.tokens - decode.compared);
  return text;
}

std::string divergent_text(const DivergentToken& token) {
  return fmt::format(
      "; first divergent token: token {} (step {}) of row {}, {} -> {}, margin {} ({})",
      token.token, token.step, token.row, token.reference, token.candidate,
      short_number(token.margin), token.decided ? "decided" : "undecided");
}

Tone tone(const Decode& decode) {
  if (decode.compared < decode.tokens) return Tone::bad;
  if (!decode.first_divergent) return Tone::plain;
  return decode.first_divergent->decided ? Tone::bad : Tone::warning;
}

bool is_fine(const Logits& logits) {
  return logits.verdict != run::Verdict::suspect &&
         run::passes(logits.verdict, run::Strictness::normal);
}

std::uint64_t passing_steps(const Case& item) {
  std::uint64_t count = 0;
  for (const Logits& logits : item.logits)
    count += run::is_decode_step(logits.id) && is_fine(logits) ? 1U : 0U;
  return count;
}

std::string logits_text(const Case& item) {
  const Decode& decode = *item.decode;
  return fmt::format(
      "logits of all steps: {}; {} of {} pass, top-1 agreement {} %, {} ({} decided), KL mean {} "
      "max {} nat",
      run::name(decode.verdict), passing_steps(item),
      plural(static_cast<std::uint64_t>(decode.steps), "step"),
      percent(decode.logits.top1_agreement), plural(decode.logits.flips, "flip"),
      decode.logits.decided_flips, short_number(decode.logits.kl.mean),
      short_number(decode.logits.kl.max));
}

}  // namespace

void add_decode(Page& page, const Case& item, std::string_view mark) {
  if (!item.decode) return;
  const Decode& decode = *item.decode;
  std::string text = plural(static_cast<std::uint64_t>(decode.steps), "step");
  if (decode.rows > 1) text += fmt::format(" of {} rows", decode.rows);
  text += ": " + agreement_text(decode);
  if (decode.first_divergent) text += divergent_text(*decode.first_divergent);
  page.wrapped(pad_right(mark, 2) + "decode ", text, tone(decode));
  page.wrapped(kIndent, logits_text(item), tone_of(decode.verdict));
  for (const std::string& reason : decode.reasons) page.wrapped(kIndent, reason);
}

std::vector<const Logits*> shown_logits(const Case& item, Show show) {
  std::vector<const Logits*> shown;
  std::size_t failing_steps = 0;
  for (const Logits& logits : item.logits) {
    const bool hidden = item.decode && show != Show::all && run::is_decode_step(logits.id) &&
                        (is_fine(logits) || ++failing_steps > kSteps);
    if (!hidden) shown.push_back(&logits);
  }
  return shown;
}

}  // namespace parity::report

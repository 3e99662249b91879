#include "gate/gate.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

namespace parity::gate {
namespace {

using run::Strictness;
using run::Verdict;

/// True for verdicts that values of both sides led to.
bool is_compared(Verdict verdict) {
  return verdict <= Verdict::non_finite || verdict == Verdict::dtype_differs ||
         verdict == Verdict::untrusted;
}

bool is_divergence(Verdict verdict, Strictness strictness) {
  return !run::passes(verdict, strictness) && verdict >= Verdict::suspect &&
         verdict <= Verdict::dtype_differs;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string_view phrase(Verdict verdict, Strictness strictness) {
  switch (verdict) {
    case Verdict::identical:
      return "identical";
    case Verdict::within:
      return "within bounds";
    case Verdict::closer:
      return "outside bounds but no further from the truth than the reference (closer)";
    case Verdict::suspect:
      return strictness == Strictness::strict ? "suspect, which fails when strict" : "suspect";
    case Verdict::diverged:
      return "diverged";
    case Verdict::non_finite:
      return "with NaN or Inf on one side only";
    case Verdict::shape_differs:
      return "of another shape";
    case Verdict::dtype_differs:
      return "of another dtype";
    case Verdict::missing:
      return "missing";
    case Verdict::additional:
      return "additional";
    case Verdict::untrusted:
      return "untrusted: constant in the reference, or lost in its noise";
    case Verdict::untested:
      return "untested";
  }
  return "untested";
}

/// Reasons by verdict, worst first when failing so that the first line names the worst.
void add_verdict_reasons(const std::map<Verdict, std::uint64_t>& counts, std::string_view noun,
                         Strictness strictness, std::vector<std::string>& reasons) {
  for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry) {
    reasons.push_back(
        fmt::format("{} {}", counted(entry->second, noun), phrase(entry->first, strictness)));
  }
}

/// True when outputs of the model were compared and none of them has an element.
bool outputs_are_empty(const JudgedCase& judged) {
  std::uint64_t outputs = 0;
  std::uint64_t elements = 0;
  for (const JudgedTap& tap : judged.taps) {
    if (tap.id.kind != run::TapKind::output || !is_compared(tap.verdict)) continue;
    ++outputs;
    elements += tap.elements;
  }
  return outputs > 0 && elements == 0;
}

/// Empty when the case compared an output of the model and something that could have differed.
std::string emptiness(const JudgedCase& judged) {
  std::uint64_t compared = 0;
  std::uint64_t elements = 0;
  std::uint64_t varied = 0;
  for (const JudgedTap& tap : judged.taps) {
    if (!is_compared(tap.verdict)) continue;
    ++compared;
    elements += tap.elements;
    if (tap.content == Content::varied && tap.elements > 0) ++varied;
  }
  if (!judged.untested_output.empty()) {
    return fmt::format("case '{}': the model's own output was not compared: {}", judged.name,
                       judged.untested_output);
  }
  if (compared == 0) return fmt::format("case '{}': nothing compared", judged.name);
  if (elements == 0)
    return fmt::format("case '{}': nothing compared, every tap is empty", judged.name);
  if (outputs_are_empty(judged)) {
    return fmt::format("case '{}': the model's own output is empty, which proves nothing",
                       judged.name);
  }
  if (varied == 0) {
    return fmt::format("case '{}': every tap is constant in the reference, which proves nothing",
                       judged.name);
  }
  return {};
}

std::optional<FirstDivergence> first_divergence(const std::vector<JudgedCase>& cases,
                                                Strictness strictness) {
  for (const auto list : {&JudgedCase::taps, &JudgedCase::logits}) {
    for (const JudgedCase& judged : cases) {
      for (const JudgedTap& tap : judged.*list) {
        if (is_divergence(tap.verdict, strictness)) return FirstDivergence{judged.name, tap.id};
      }
    }
  }
  return std::nullopt;
}

struct Tally {
  std::map<Verdict, std::uint64_t> taps;
  std::map<Verdict, std::uint64_t> logits;
  std::vector<std::string> empty_cases;
};

Tally tally(const std::vector<JudgedCase>& cases) {
  Tally result;
  for (const JudgedCase& judged : cases) {
    for (const JudgedTap& tap : judged.taps) ++result.taps[tap.verdict];
    for (const JudgedTap& logits : judged.logits) ++result.logits[logits.verdict];
    if (std::string text = emptiness(judged); !text.empty())
      result.empty_cases.push_back(std::move(text));
  }
  return result;
}

TapCounts count_taps(const std::map<Verdict, std::uint64_t>& by_verdict, Strictness strictness) {
  TapCounts counts;
  for (const auto& [verdict, count] : by_verdict) {
    if (!run::passes(verdict, strictness)) {
      counts.failed += count;
    } else if (verdict == Verdict::suspect) {
      counts.warned += count;
    } else {
      counts.passed += count;
    }
  }
  return counts;
}

bool all_are(const std::map<Verdict, std::uint64_t>& by_verdict, Verdict verdict) {
  return std::all_of(by_verdict.begin(), by_verdict.end(),
                     [&](const auto& entry) { return entry.first == verdict; });
}

}  // namespace

Content content_of(const compare::Outcome& outcome) {
  const auto* facts = std::get_if<compare::TensorComparison>(&outcome);
  return facts != nullptr && (facts->reference_constant || facts->reference_all_nan)
             ? Content::constant
             : Content::varied;
}

Judgement judge_unpaired(Unpaired side) {
  if (side == Unpaired::missing) return {Verdict::missing, {"the candidate has no such tap"}};
  return {Verdict::additional, {"the reference has no such tap"}};
}

Judgement judge_unseen_difference() {
  return {Verdict::suspect,
          {"the stored rows are equal, but rows that were not stored differ: how far is unknown "
           "without a full golden"}};
}

GateResult overall(const std::vector<JudgedCase>& cases, Strictness strictness) {
  GateResult result;
  const Tally counts = tally(cases);
  result.taps = count_taps(counts.taps, strictness);
  result.first_divergence = first_divergence(cases, strictness);
  result.reasons = counts.empty_cases;
  if (cases.empty()) result.reasons.emplace_back("nothing compared: there is no case");

  const bool logits_pass =
      std::all_of(counts.logits.begin(), counts.logits.end(),
                  [&](const auto& entry) { return run::passes(entry.first, strictness); });
  const bool empty = !result.reasons.empty();
  result.decision =
      !empty && logits_pass && result.taps.failed == 0 ? Decision::passed : Decision::failed;

  const bool all_identical =
      all_are(counts.taps, Verdict::identical) && all_are(counts.logits, Verdict::within);
  if (empty || !all_identical) {
    add_verdict_reasons(counts.taps, "tap", strictness, result.reasons);
    for (const auto& [verdict, count] : counts.logits) {
      if (verdict == Verdict::within || verdict == Verdict::identical) continue;
      result.reasons.push_back(
          fmt::format("logits of {} {}", counted(count, "output"), phrase(verdict, strictness)));
    }
  }
  return result;
}

}  // namespace parity::gate

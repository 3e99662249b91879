#include "pipeline/stored/logits_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

namespace parity::pipeline {
namespace {

using compare::LogitsComparison;
using compare::RowFigure;
using report::Logits;

/// Of the positions, those that the figures are over.
double finite_rows(const LogitsComparison& facts) {
  return number(facts.positions - facts.non_finite_rows);
}

/// One figure over `rows` rows.
Contradiction of_figure(std::string_view name, const RowFigure& figure, double rows) {
  const auto named = [&](std::string_view part) { return fmt::format("{}.{}", name, part); };
  for (const auto& [part, value] : {std::pair{"mean", figure.mean}, std::pair{"p99", figure.p99},
                                    std::pair{"max", figure.max}}) {
    if (auto found = outside(named(part), value, 0, rows > 0 ? kInfinity : 0)) return found;
  }
  if (!at_most(figure.mean, figure.max) ||
      (rows > 0 && !std::isinf(figure.max) && !at_most(figure.max, figure.mean * rows)) ||
      (std::isinf(figure.max) && !std::isinf(figure.mean))) {
    return disagreement(named("mean"), figure.mean, named("max"), figure.max);
  }
  // The nearest rank of 99 % of fewer than 100 rows is the last.
  constexpr double kFew = 100;
  const bool fits = rows < kFew ? figure.p99 == figure.max : figure.p99 <= figure.max;
  if (!fits) return disagreement(named("p99"), figure.p99, named("max"), figure.max);
  return std::nullopt;
}

double expected_agreement(const LogitsComparison& facts) {
  if (facts.positions == facts.non_finite_rows) return facts.positions == 0 ? 1 : 0;
  return 1 - number(facts.flips) / finite_rows(facts);
}

using Facts = const LogitsComparison&;

constexpr auto kRanges = std::to_array<RangeRule<LogitsComparison>>({
    {"top1_agreement", [](Facts f) { return f.top1_agreement; }, 0, 1},
    {"decided_gap", [](Facts f) { return f.decided_gap; }, 0, std::numeric_limits<double>::max()},
    {"max_flip_gap", [](Facts f) { return f.max_flip_gap; }, 0, kInfinity},
    {"max_logprob_change", [](Facts f) { return f.max_logprob_change; }, 0, kInfinity},
});

/// Of two distributions p and q: KL(p, q) is at most the largest change of log-probability, and a
/// gap of p's that closed needs half of it.
constexpr auto kRules = std::to_array<AgreementRule<LogitsComparison>>({
    {"flips", [](Facts f) { return number(f.flips); }, "positions that are finite,", finite_rows,
     [](Facts f) { return number(f.flips) <= finite_rows(f); }},
    {"top1_agreement", [](Facts f) { return f.top1_agreement; }, "flips",
     [](Facts f) { return number(f.flips); },
     [](Facts f) { return std::abs(f.top1_agreement - expected_agreement(f)) <= 1e-12; }},
    {"max_flip_gap", [](Facts f) { return f.max_flip_gap; }, "flips",
     [](Facts f) { return number(f.flips); },
     [](Facts f) { return f.flips > 0 || f.max_flip_gap == 0; }},
    {"decided_flips", [](Facts f) { return number(f.decided_flips); }, "max_flip_gap",
     [](Facts f) { return f.max_flip_gap; },
     [](Facts f) {
       return f.flips == 0 || (f.decided_flips > 0) == (f.max_flip_gap >= f.decided_gap);
     }},
    {"max_logprob_change", [](Facts f) { return f.max_logprob_change; }, "kl.max",
     [](Facts f) { return f.kl.max; },
     [](Facts f) {
       return !std::isfinite(f.kl.max) || at_most(f.kl.max, f.max_logprob_change + 1e-9);
     }},
    {"max_logprob_change", [](Facts f) { return f.max_logprob_change; }, "kl_reverse.max",
     [](Facts f) { return f.kl_reverse.max; },
     [](Facts f) {
       return !std::isfinite(f.kl_reverse.max) ||
              at_most(f.kl_reverse.max, f.max_logprob_change + 1e-9);
     }},
    {"max_logprob_change", [](Facts f) { return f.max_logprob_change; }, "max_flip_gap",
     [](Facts f) { return f.max_flip_gap; },
     [](Facts f) {
       const bool all_finite = std::isfinite(f.kl.max) && std::isfinite(f.kl_reverse.max);
       return !all_finite || at_most(f.max_flip_gap, 2 * f.max_logprob_change + 1e-6);
     }},
});

Contradiction of_overlap(const LogitsComparison& facts) {
  std::set<int> sizes;
  for (const auto& [k, share] : facts.topk_overlap) {
    if (!sizes.insert(k).second) return fmt::format("topk_overlap has {} twice", k);
    if (auto found = outside(fmt::format("topk_overlap.{}", k), share, 0, 1)) return found;
  }
  return std::nullopt;
}

Contradiction of_facts(const LogitsComparison& facts) {
  if (auto found = first_outside<LogitsComparison>(kRanges, facts)) return found;
  if (auto found = first_broken<LogitsComparison>(kRules, facts)) return found;
  if (auto found = of_figure("kl", facts.kl, finite_rows(facts))) return found;
  if (auto found = of_figure("kl_reverse", facts.kl_reverse, finite_rows(facts))) return found;
  return of_overlap(facts);
}

/// Positions of one sequence, and how many sequences there are.
struct Sequences {
  std::uint64_t positions = 1;
  std::uint64_t count = 0;
};

Sequences sequences_of(const compare::TensorComparison& tap, std::uint64_t positions) {
  Sequences sequences;
  if (tap.shape.size() >= 2)
    sequences.positions = static_cast<std::uint64_t>(tap.shape[tap.shape.size() - 2]);
  if (sequences.positions > 0) sequences.count = positions / sequences.positions;
  return sequences;
}

Contradiction of_sequences(const LogitsComparison& facts, const compare::TensorComparison& tap) {
  const Sequences sequences = sequences_of(tap, facts.positions);
  if (facts.first_divergent.size() != sequences.count) {
    return disagreement("first_divergent with", number(facts.first_divergent.size()),
                        "sequences in shape,", number(sequences.count));
  }
  std::uint64_t divergent = 0;
  for (const std::int64_t position : facts.first_divergent) {
    if (auto found = outside("first_divergent", static_cast<double>(position), -1,
                             number(sequences.positions) - 1)) {
      return found;
    }
    if (position >= 0) ++divergent;
  }
  if (divergent <= facts.flips && (divergent > 0) == (facts.flips > 0)) return std::nullopt;
  return disagreement("flips", number(facts.flips), "sequences in first_divergent that flip,",
                      number(divergent));
}

/// A change of all logits by d changes no log-probability by more than 2 d.
Contradiction of_tensor(const LogitsComparison& facts, const compare::TensorComparison& tap) {
  const std::uint64_t width = tap.shape.empty() ? 0 : static_cast<std::uint64_t>(tap.shape.back());
  const std::uint64_t rows = width == 0 ? 0 : tap.elements / width;
  if (facts.positions != rows) {
    return disagreement("positions", number(facts.positions), "rows that were compared,",
                        number(rows));
  }
  const compare::ClassCounts& classes = tap.classes;
  const bool is_finite = classes.finite == tap.elements;
  if (is_finite && facts.non_finite_rows > 0) {
    return disagreement("non_finite_rows", number(facts.non_finite_rows), "classes.finite",
                        number(classes.finite));
  }
  if (is_finite && !at_most(facts.max_logprob_change, 2 * tap.absolute.max + 1e-6)) {
    return disagreement("max_logprob_change", facts.max_logprob_change, "absolute.max",
                        tap.absolute.max);
  }
  if (classes.equal_bits == tap.elements && facts.flips > 0) {
    return disagreement("flips", number(facts.flips), "classes.equal_bits",
                        number(classes.equal_bits));
  }
  return std::nullopt;
}

Contradiction of_truth(const report::LogitsTruth& truth, const LogitsComparison& facts) {
  const auto rows_of = [&](std::uint64_t non_finite) {
    return number(facts.positions) - number(non_finite);
  };
  const double reference = rows_of(truth.reference_non_finite_rows);
  const double candidate = rows_of(truth.candidate_non_finite_rows);
  for (const auto& [name, rows] : {std::pair{"truth.reference_non_finite_rows", reference},
                                   std::pair{"truth.candidate_non_finite_rows", candidate}}) {
    if (rows < 0) {
      return disagreement(name, number(facts.positions) - rows, "positions",
                          number(facts.positions));
    }
  }
  if (auto found = of_figure("truth.reference_kl", truth.reference_kl, reference)) return found;
  if (auto found = of_figure("truth.candidate_kl", truth.candidate_kl, candidate)) return found;
  const compare::FlipsByTruth& flips = truth.flips;
  const bool all = truth.reference_non_finite_rows == 0 && truth.candidate_non_finite_rows == 0;
  if (flips.flips > facts.flips || (all && flips.flips != facts.flips))
    return disagreement("truth.flips", number(flips.flips), "flips", number(facts.flips));
  if (flips.decided > facts.decided_flips || (all && flips.decided != facts.decided_flips)) {
    return disagreement("truth.decided_flips", number(flips.decided), "decided_flips",
                        number(facts.decided_flips));
  }
  if (number(flips.candidate) + number(flips.reference) > number(flips.flips)) {
    return disagreement("truth.flips", number(flips.flips), "flips_for_candidate and _reference,",
                        number(flips.candidate) + number(flips.reference));
  }
  if (flips.decided_elsewhere > flips.decided ||
      number(flips.decided) > number(flips.decided_elsewhere) + number(flips.candidate)) {
    return disagreement("truth.decided_flips_not_for_candidate", number(flips.decided_elsewhere),
                        "truth.decided_flips", number(flips.decided));
  }
  return std::nullopt;
}

}  // namespace

Contradiction contradiction_of(const Logits& logits, const report::Tap& tap) {
  if (auto found = of_facts(logits.facts)) return found;
  if (auto found = of_tensor(logits.facts, *tap.facts)) return found;
  if (auto found = of_sequences(logits.facts, *tap.facts)) return found;
  if (logits.truth.has_value() && !tap.truth) return "truth of logits is there without the tap's";
  return logits.truth ? of_truth(*logits.truth, logits.facts) : std::nullopt;
}

}  // namespace parity::pipeline

// A decode against its steps: everything it says of them together is what pooling them gives.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "pipeline/compare/decode_facts.h"
#include "pipeline/stored/logits_agreement.h"

namespace parity::pipeline {
namespace {

struct Figure {
  std::string name;
  double value;
};

void add(std::vector<Figure>& figures, const std::string& name, const compare::RowFigure& figure) {
  figures.push_back({name + ".mean", figure.mean});
  figures.push_back({name + ".p99", figure.p99});
  figures.push_back({name + ".max", figure.max});
}

std::vector<Figure> figures_of(const compare::LogitsComparison& facts) {
  std::vector<Figure> figures = {{"positions", number(facts.positions)},
                                 {"top1_agreement", facts.top1_agreement},
                                 {"flips", number(facts.flips)},
                                 {"decided_flips", number(facts.decided_flips)},
                                 {"decided_gap", facts.decided_gap},
                                 {"max_flip_gap", facts.max_flip_gap},
                                 {"max_logprob_change", facts.max_logprob_change},
                                 {"non_finite_rows", number(facts.non_finite_rows)}};
  for (const auto& [k, share] : facts.topk_overlap)
    figures.push_back({fmt::format("topk_overlap.{}", k), share});
  add(figures, "kl", facts.kl);
  add(figures, "kl_reverse", facts.kl_reverse);
  return figures;
}

std::vector<Figure> figures_of(const report::LogitsTruth& truth) {
  std::vector<Figure> figures = {
      {"flips", number(truth.flips.flips)},
      {"flips_for_candidate", number(truth.flips.candidate)},
      {"flips_for_reference", number(truth.flips.reference)},
      {"decided_flips", number(truth.flips.decided)},
      {"decided_flips_not_for_candidate", number(truth.flips.decided_elsewhere)},
      {"reference_non_finite_rows", number(truth.reference_non_finite_rows)},
      {"candidate_non_finite_rows", number(truth.candidate_non_finite_rows)}};
  add(figures, "reference_kl", truth.reference_kl);
  add(figures, "candidate_kl", truth.candidate_kl);
  return figures;
}

Contradiction of_pool(const std::string& name, const std::vector<Figure>& stated,
                      const std::vector<Figure>& pooled) {
  if (stated.size() != pooled.size()) {
    return disagreement(name + " with figures", number(stated.size()), "those of its steps,",
                        number(pooled.size()));
  }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (stated[i].name != pooled[i].name || !is_same(stated[i].value, pooled[i].value)) {
      return disagreement(fmt::format("{}.{}", name, stated[i].name), stated[i].value,
                          fmt::format("{} of its steps together", pooled[i].name), pooled[i].value);
    }
  }
  return std::nullopt;
}

Contradiction of_counts(const report::Decode& decode) {
  const double tokens = (static_cast<double>(decode.steps) + 1) * static_cast<double>(decode.rows);
  if (number(decode.tokens) != tokens)
    return disagreement("decode.tokens", number(decode.tokens), "rows times steps and one,",
                        tokens);
  if (decode.pooled_steps > decode.steps) {
    return disagreement("decode.pooled_steps", static_cast<double>(decode.pooled_steps),
                        "decode.steps", static_cast<double>(decode.steps));
  }
  if ((decode.agree < decode.compared) != decode.first_divergent.has_value()) {
    return disagreement("decode.agree", number(decode.agree), "decode.first_divergent",
                        decode.first_divergent ? 1.0 : 0.0);
  }
  return std::nullopt;
}

Contradiction of_divergent(const report::Decode& decode, const report::Case& item) {
  const report::DivergentToken& token = *decode.first_divergent;
  if (token.token - 1 != token.step || token.step > decode.steps) {
    return disagreement("decode.first_divergent.token", static_cast<double>(token.token),
                        "its step", static_cast<double>(token.step));
  }
  if (token.row >= decode.rows) {
    return disagreement("decode.first_divergent.row", static_cast<double>(token.row), "decode.rows",
                        static_cast<double>(decode.rows));
  }
  if (token.reference == token.candidate) {
    return disagreement("decode.first_divergent.reference", static_cast<double>(token.reference),
                        "candidate", static_cast<double>(token.candidate));
  }
  const auto logits = std::find_if(item.logits.begin(), item.logits.end(), [&](const auto& each) {
    return each.id.call == token.step && each.id.path == decode.id.path;
  });
  if (logits == item.logits.end())
    return fmt::format("decode.first_divergent is of step {}, which has no logits", token.step);
  if (logits->facts.flips == 0 || token.margin > logits->facts.max_flip_gap || token.margin < 0) {
    return disagreement("decode.first_divergent.margin", token.margin, "max_flip_gap of its step",
                        logits->facts.max_flip_gap);
  }
  if (token.decided != (token.margin >= logits->facts.decided_gap)) {
    return disagreement("decode.first_divergent.margin", token.margin, "decided",
                        token.decided ? 1.0 : 0.0);
  }
  return std::nullopt;
}

}  // namespace

Contradiction contradiction_of_decode(const report::Case& item) {
  const report::Decode& decode = *item.decode;
  if (auto found = of_counts(decode)) return found;
  if (decode.first_divergent) {
    if (auto found = of_divergent(decode, item)) return found;
  }
  report::Decode pooled;
  pool_steps(item, decode.pooled_steps, pooled);
  if (auto found = of_pool("decode", figures_of(decode.logits), figures_of(pooled.logits)))
    return found;
  if (decode.truth.has_value() != pooled.truth.has_value())
    return std::string("decode.truth does not go with the truth of its steps");
  if (!decode.truth) return std::nullopt;
  return of_pool("decode.truth", figures_of(*decode.truth), figures_of(*pooled.truth));
}

}  // namespace parity::pipeline

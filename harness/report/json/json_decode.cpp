#include "report/json/json_decode.h"

#include "report/json/json_tap.h"

namespace parity::report {

Json decode_json(const Case& item) {
  if (!item.decode) return nullptr;
  const Decode& decode = *item.decode;
  Json first = nullptr;
  if (const auto& token = decode.first_divergent) {
    first = {{"token", token->token},
             {"step", token->step},
             {"row", token->row},
             {"reference", token->reference},
             {"candidate", token->candidate},
             {"margin", json_number(token->margin)},
             {"decided", token->decided}};
  }
  return {{"steps", decode.steps},
          {"rows", decode.rows},
          {"tokens", decode.tokens},
          {"compared", decode.compared},
          {"agree", decode.agree},
          {"first_divergent", std::move(first)},
          {"verdict", run::name(decode.verdict)},
          {"reasons", decode.reasons},
          {"top1_agreement", json_number(decode.logits.top1_agreement)},
          {"flips", decode.logits.flips},
          {"decided_flips", decode.logits.decided_flips},
          {"kl", row_figure_json(decode.logits.kl)},
          {"kl_reverse", row_figure_json(decode.logits.kl_reverse)},
          {"rule", rule_json(decode.rule)},
          {"pooled_steps", decode.pooled_steps},
          {"positions", decode.logits.positions},
          {"decided_gap", json_number(decode.logits.decided_gap)},
          {"max_flip_gap", json_number(decode.logits.max_flip_gap)},
          {"topk_overlap", topk_overlap_json(decode.logits)},
          {"max_logprob_change", json_number(decode.logits.max_logprob_change)},
          {"non_finite_rows", decode.logits.non_finite_rows},
          {"truth", logits_truth_json(decode.truth)}};
}

}  // namespace parity::report

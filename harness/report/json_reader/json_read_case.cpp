#include "report/json_reader/json_read_case.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "report/json_reader/json_read_tap.h"

namespace parity::report {
namespace {

std::optional<Result> result_from_name(std::string_view text) {
  if (text == "pass") return Result::pass;
  return text == "fail" ? std::optional(Result::fail) : std::nullopt;
}

compare::RowFigure read_figure(const JsonNode& node) {
  return {node.at("mean").number(), node.at("p99").number(), node.at("max").number()};
}

std::vector<std::pair<int, double>> read_overlap(const JsonNode& node) {
  std::vector<std::pair<int, double>> overlap;
  for (const auto& [key, share] : node.entries()) {
    int k = 0;
    const char* const end = key.data() + key.size();
    const auto result = std::from_chars(key.data(), end, k);
    share.require(result.ec == std::errc{} && result.ptr == end && k > 0,
                  "has a name that is no number of tokens");
    overlap.emplace_back(k, share.number());
  }
  return overlap;
}

std::optional<LogitsTruth> read_truth(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  LogitsTruth truth;
  truth.reference_kl = read_figure(node.at("reference_kl"));
  truth.candidate_kl = read_figure(node.at("candidate_kl"));
  truth.reference_non_finite_rows = node.at("reference_non_finite_rows").count();
  truth.candidate_non_finite_rows = node.at("candidate_non_finite_rows").count();
  truth.flips.flips = node.at("flips").count();
  truth.flips.candidate = node.at("flips_for_candidate").count();
  truth.flips.reference = node.at("flips_for_reference").count();
  truth.flips.decided = node.at("decided_flips").count();
  truth.flips.decided_elsewhere = node.at("decided_flips_not_for_candidate").count();
  return truth;
}

/// What the logits of one output and those of all steps have in common.
compare::LogitsComparison read_logits_facts(const JsonNode& node) {
  compare::LogitsComparison facts;
  facts.positions = node.at("positions").count();
  facts.top1_agreement = node.at("top1_agreement").number();
  facts.flips = node.at("flips").count();
  facts.decided_flips = node.at("decided_flips").count();
  facts.decided_gap = node.at("decided_gap").number();
  facts.max_flip_gap = node.at("max_flip_gap").number();
  facts.topk_overlap = read_overlap(node.at("topk_overlap"));
  facts.kl = read_figure(node.at("kl"));
  facts.kl_reverse = read_figure(node.at("kl_reverse"));
  facts.max_logprob_change = node.at("max_logprob_change").number();
  facts.non_finite_rows = node.at("non_finite_rows").count();
  node.require(facts.non_finite_rows <= facts.positions && facts.flips <= facts.positions &&
                   facts.decided_flips <= facts.flips,
               "counts more positions than there are");
  return facts;
}

Logits read_logits(const JsonNode& node) {
  Logits logits;
  logits.id = read_id(node);
  logits.facts = read_logits_facts(node);
  logits.facts.first_divergent = node.at("first_divergent").wholes(-1);
  logits.verdict = node.at("verdict").word(run::verdict_from_name, "verdict");
  logits.reasons = node.at("reasons").texts();
  logits.truth = read_truth(node.at("truth"));
  logits.rule = node.at("rule").text_or_null();
  return logits;
}

DivergentToken read_divergent(const JsonNode& node) {
  return {node.at("token").whole(1),    node.at("step").whole(),      node.at("row").whole(),
          node.at("reference").whole(), node.at("candidate").whole(), node.at("margin").number(),
          node.at("decided").flag()};
}

Decode read_decode(const JsonNode& node) {
  Decode decode;
  decode.id = first_step();
  decode.steps = node.at("steps").whole();
  decode.rows = node.at("rows").whole();
  decode.tokens = node.at("tokens").count();
  decode.compared = node.at("compared").count();
  decode.agree = node.at("agree").count();
  node.require(decode.agree <= decode.compared && decode.compared <= decode.tokens,
               "has more tokens that agree than were compared, or more than were chosen");
  if (const JsonNode first = node.at("first_divergent"); !first.is_null())
    decode.first_divergent = read_divergent(first);
  decode.pooled_steps = node.at("pooled_steps").whole();
  decode.logits = read_logits_facts(node);
  decode.truth = read_truth(node.at("truth"));
  decode.verdict = node.at("verdict").word(run::verdict_from_name, "verdict");
  decode.reasons = node.at("reasons").texts();
  decode.rule = node.at("rule").text_or_null();
  return decode;
}

/// Whether anything in the case fails however strict the gate was.
bool fails(const Case& item) {
  const auto failed = [](const auto& each) {
    return !run::passes(each.verdict, run::Strictness::normal);
  };
  return !item.untested_output.empty() || std::any_of(item.taps.begin(), item.taps.end(), failed) ||
         std::any_of(item.logits.begin(), item.logits.end(), failed) ||
         (item.decode && failed(*item.decode));
}

}  // namespace

Result read_result(const JsonNode& node) { return node.word(result_from_name, "verdict"); }

Case read_case(const JsonNode& node) {
  Case item;
  item.name = node.at("name").text();
  item.result = read_result(node.at("verdict"));
  item.notes = node.at("notes").texts();
  for (const JsonNode& tap : node.at("taps").items()) item.taps.push_back(read_tap(tap));
  const JsonNode logits = node.at("logits");
  const std::vector<JsonNode> more = node.at("more_logits").items();
  node.require(more.empty() || !logits.is_null(), "has more_logits without logits");
  if (!logits.is_null()) item.logits.push_back(read_logits(logits));
  for (const JsonNode& each : more) item.logits.push_back(read_logits(each));
  if (const JsonNode decode = node.at("decode"); !decode.is_null())
    item.decode = read_decode(decode);
  item.untested_output = node.at("untested_output").text_or_null();
  const std::string recorded = node.at("recorded_as").text();
  if (recorded != item.name) item.recorded_as = recorded;
  item.same_run = node.at("same_run").flag() ? SameRun::yes : SameRun::no;
  for (const JsonNode& tap : node.at("left_out").items())
    item.left_out.push_back(read_left_out(tap));
  node.at("verdict").require(item.result == Result::fail || !fails(item),
                             "is pass beside what fails; the report was altered");
  return item;
}

}  // namespace parity::report

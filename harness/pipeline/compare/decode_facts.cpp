#include "pipeline/compare/decode_facts.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "compare/pool_logits.h"
#include "model/model.h"
#include "tensor/whole_numbers.h"

namespace parity::pipeline {
namespace {

const tensor::HostTensor* decode_tokens_in(const tensor::Value& inputs) {
  const auto* dict = std::get_if<tensor::ValueDict>(&inputs.data);
  if (dict == nullptr) return nullptr;
  for (const auto& [key, value] : dict->items) {
    if (key == model::kDecodeTokens) return std::get_if<tensor::HostTensor>(&value.data);
  }
  return nullptr;
}

std::int64_t token_of(const FedTokens& fed, std::int64_t row, std::int64_t step) {
  return fed.ids[static_cast<std::size_t>(row * fed.steps + step)];
}

/// Per row, how many tokens both sides were fed alike from the first one on.
std::vector<std::int64_t> fed_alike(const FedTokens& reference, const FedTokens& candidate) {
  std::vector<std::int64_t> alike;
  for (std::int64_t row = 0; row < reference.rows; ++row) {
    const std::int64_t steps =
        row < candidate.rows ? std::min(reference.steps, candidate.steps) : 0;
    std::int64_t step = 0;
    while (step < steps && token_of(reference, row, step) == token_of(candidate, row, step)) ++step;
    alike.push_back(step);
  }
  return alike;
}

/// Empty when both sides were fed the same tokens.
std::string fed_apart_note(const FedTokens& reference, const FedTokens& candidate,
                           const std::vector<std::int64_t>& alike) {
  const auto first = std::min_element(alike.begin(), alike.end());
  if (first == alike.end() || *first == reference.steps) return {};
  const std::int64_t row = first - alike.begin();
  const bool has_token = row < candidate.rows && *first < candidate.steps;
  return fmt::format(
      "the two recordings were decoded with different tokens from step {} on (row {}: {} and {}), "
      "so what differs from there on is no finding about a backend; `parity compare` of the "
      "reference with --model feeds both sides the reference's tokens",
      *first + 1, row, token_of(reference, row, *first),
      has_token ? std::to_string(token_of(candidate, row, *first)) : "none");
}

void add_logits(const report::Logits& logits, const std::vector<std::int64_t>& alike,
                report::Decode& decode) {
  const auto& tokens = logits.facts.next_tokens;
  const auto rows = std::min(tokens.size(), alike.size());
  for (std::size_t row = 0; row < rows; ++row) {
    if (!tokens[row] || logits.id.call > alike[row]) continue;
    ++decode.compared;
    if (tokens[row]->reference == tokens[row]->candidate) {
      ++decode.agree;
    } else if (!decode.first_divergent) {
      decode.first_divergent = {logits.id.call + 1,
                                logits.id.call,
                                static_cast<std::int64_t>(row),
                                tokens[row]->reference,
                                tokens[row]->candidate,
                                tokens[row]->gap,
                                tokens[row]->gap >= logits.facts.decided_gap};
    }
  }
}

}  // namespace

void pool_steps(const report::Case& compared, std::int64_t steps, report::Decode& decode) {
  const auto finite = [](const report::Logits& logits, std::uint64_t non_finite_rows) {
    return logits.facts.positions - non_finite_rows;
  };
  std::vector<compare::LogitsComparison> facts;
  std::vector<compare::WeightedFigure> reference_kl;
  std::vector<compare::WeightedFigure> candidate_kl;
  report::LogitsTruth truth;
  for (const report::Logits& logits : compared.logits) {
    if (!run::is_decode_step(logits.id) || logits.id.call > steps) continue;
    facts.push_back(logits.facts);
    if (!logits.truth) continue;
    const report::LogitsTruth& one = *logits.truth;
    reference_kl.push_back({one.reference_kl, finite(logits, one.reference_non_finite_rows)});
    candidate_kl.push_back({one.candidate_kl, finite(logits, one.candidate_non_finite_rows)});
    truth.reference_non_finite_rows += one.reference_non_finite_rows;
    truth.candidate_non_finite_rows += one.candidate_non_finite_rows;
    truth.flips.flips += one.flips.flips;
    truth.flips.candidate += one.flips.candidate;
    truth.flips.reference += one.flips.reference;
    truth.flips.decided += one.flips.decided;
    truth.flips.decided_elsewhere += one.flips.decided_elsewhere;
  }
  decode.pooled_steps = steps;
  decode.logits = compare::pooled(facts);
  if (facts.empty() || reference_kl.size() != facts.size()) return;
  truth.reference_kl = compare::pooled(reference_kl);
  truth.candidate_kl = compare::pooled(candidate_kl);
  decode.truth = truth;
}

std::optional<FedTokens> fed_tokens(const tensor::Value& inputs) {
  const tensor::HostTensor* tensor = decode_tokens_in(inputs);
  if (tensor == nullptr || tensor->shape().size() != 2) return std::nullopt;
  if (tensor->shape()[0] < 1 || tensor->shape()[1] < 1) return std::nullopt;
  std::optional<std::vector<std::int64_t>> ids;
  if (tensor->dtype() == tensor::DType::int64 || tensor->dtype() == tensor::DType::int32)
    ids = tensor::whole_numbers(*tensor);
  if (!ids) return std::nullopt;
  return FedTokens{tensor->shape()[0], tensor->shape()[1], std::move(*ids)};
}

std::optional<FedTokens> fed_tokens(const tensor::Value& inputs, const run::CaseRecord& record) {
  std::optional<FedTokens> fed = fed_tokens(inputs);
  if (!fed) return std::nullopt;
  bool decoded = false;
  for (const run::TapRecord& tap : record.taps) {
    if (!run::is_decode_step(tap.id)) continue;
    if (tap.shape.empty() || tap.shape[0] != fed->rows) return std::nullopt;
    decoded = true;
  }
  return decoded ? std::move(fed) : std::nullopt;
}

Passes passes_of(const tensor::Value& inputs, const run::CaseRecord& record) {
  return fed_tokens(inputs, record) ? Passes::prompt_and_steps : Passes::one;
}

void add_decode(const BothInputs& inputs, Passes passes, report::Case& compared) {
  if (passes == Passes::one) return;
  const std::optional<FedTokens> fed = fed_tokens(inputs.reference.value);
  if (!fed) return;
  const FedTokens other = fed_tokens(inputs.candidate.value).value_or(FedTokens{});
  const std::vector<std::int64_t> alike = fed_alike(*fed, other);
  report::Decode decode;
  decode.steps = fed->steps;
  decode.rows = fed->rows;
  decode.tokens = static_cast<std::uint64_t>((fed->steps + 1) * fed->rows);
  for (const report::Logits& logits : compared.logits) add_logits(logits, alike, decode);
  decode.id = report::first_step();
  const auto fewest = std::min_element(alike.begin(), alike.end());
  pool_steps(compared, fewest == alike.end() ? 0 : *fewest, decode);
  compared.decode = std::move(decode);
  if (std::string note = fed_apart_note(*fed, other, alike); !note.empty())
    compared.notes.push_back(std::move(note));
}

}  // namespace parity::pipeline

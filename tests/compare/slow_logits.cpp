// Row by row as the documentation has it; see the header.
#include "compare/slow_logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "compare/formats.h"

namespace parity::compare {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

struct Row {
  std::vector<long double> logits;
  std::vector<long double> logprobs;
  std::vector<std::size_t> order;  ///< of tokens, best first
};

Row row_at(const tensor::TensorView& view, std::size_t row) {
  const auto vocabulary = static_cast<std::size_t>(view.shape.back());
  const std::size_t size = tensor::size_bytes(view.dtype);
  Row result;
  for (std::size_t i = 0; i < vocabulary; ++i) {
    const std::byte* at = view.bytes.data() + (row * vocabulary + i) * size;
    result.logits.push_back(static_cast<long double>(value_reader(view.dtype)(at)));
  }
  result.order.resize(vocabulary);
  std::iota(result.order.begin(), result.order.end(), std::size_t{0});
  std::stable_sort(result.order.begin(), result.order.end(), [&](std::size_t a, std::size_t b) {
    return result.logits[a] > result.logits[b];
  });
  return result;
}

bool usable(const Row& row) {
  bool finite = false;
  for (const long double logit : row.logits) {
    if (std::isnan(logit) || logit == kInfinity) return false;
    finite = finite || std::isfinite(logit);
  }
  return finite;
}

void add_logprobs(Row& row) {
  const long double largest = row.logits[row.order[0]];
  long double total = 0;
  for (const long double logit : row.logits) total += std::exp(logit - largest);
  for (const long double logit : row.logits)
    row.logprobs.push_back(logit - largest - std::log(total));
}

/// As a sum of terms that are never negative, so that nothing cancels.
double kl(const Row& from, const Row& to) {
  long double sum = 0;
  for (std::size_t i = 0; i < from.logprobs.size(); ++i) {
    const long double mass = std::exp(from.logprobs[i]);
    if (static_cast<double>(mass) == 0) {
      sum += std::exp(to.logprobs[i]);
      continue;
    }
    const long double change = to.logprobs[i] - from.logprobs[i];
    sum += mass * (std::expm1(change) - change);
  }
  return static_cast<double>(sum);
}

double gap(const Row& row) {
  if (row.order.size() < 2) return std::numeric_limits<double>::infinity();
  return static_cast<double>(row.logits[row.order[0]] - row.logits[row.order[1]]);
}

double overlap(const Row& a, const Row& b, int k) {
  const std::set<std::size_t> ours(a.order.begin(), a.order.begin() + k);
  return static_cast<double>(
             std::count_if(b.order.begin(), b.order.begin() + k,
                           [&](std::size_t token) { return ours.contains(token); })) /
         k;
}

void add_row(const Row& reference, const Row& candidate, LogitsComparison& result) {
  const double forward = kl(reference, candidate);
  const double reverse = kl(candidate, reference);
  result.kl.mean += forward;
  result.kl.max = std::max(result.kl.max, forward);
  result.kl_reverse.mean += reverse;
  result.kl_reverse.max = std::max(result.kl_reverse.max, reverse);
  for (std::size_t i = 0; i < reference.logprobs.size(); ++i) {
    if (std::isinf(reference.logprobs[i]) || std::isinf(candidate.logprobs[i])) continue;
    const auto change =
        static_cast<double>(std::abs(reference.logprobs[i] - candidate.logprobs[i]));
    result.max_logprob_change = std::max(result.max_logprob_change, change);
  }
  for (auto& [k, share] : result.topk_overlap) share += overlap(reference, candidate, k);
  if (reference.order[0] == candidate.order[0]) return;
  ++result.flips;
  if (gap(reference) >= result.decided_gap) ++result.decided_flips;
  result.max_flip_gap = std::max(result.max_flip_gap, gap(reference));
}

}  // namespace

LogitsComparison slow_logits(Reference<tensor::TensorView> reference,
                             Candidate<tensor::TensorView> candidate) {
  const tensor::Shape& shape = reference.value.shape;
  const auto per_sequence = static_cast<std::size_t>(shape[shape.size() - 2]);
  LogitsComparison result;
  result.decided_gap = 2;
  result.positions = tensor::element_count(shape) / static_cast<std::size_t>(shape.back());
  for (const int k : {5, 10}) {
    if (k <= shape.back()) result.topk_overlap.emplace_back(k, 0.0);
  }
  result.first_divergent.assign(result.positions / per_sequence, -1);
  result.next_tokens.resize(result.first_divergent.size());
  for (std::size_t position = 0; position < result.positions; ++position) {
    Row ours = row_at(reference.value, position);
    Row theirs = row_at(candidate.value, position);
    if (!usable(ours) || !usable(theirs)) {
      ++result.non_finite_rows;
      continue;
    }
    add_logprobs(ours);
    add_logprobs(theirs);
    add_row(ours, theirs, result);
    const std::size_t sequence = position / per_sequence;
    const std::size_t within = position % per_sequence;
    if (ours.order[0] != theirs.order[0] && result.first_divergent[sequence] < 0)
      result.first_divergent[sequence] = static_cast<std::int64_t>(within);
    if (within + 1 == per_sequence) {
      result.next_tokens[sequence] =
          NextToken{static_cast<std::int64_t>(ours.order[0]),
                    static_cast<std::int64_t>(theirs.order[0]), gap(ours)};
    }
  }
  const auto rows = static_cast<double>(result.positions - result.non_finite_rows);
  result.top1_agreement = rows == 0 ? 0 : 1 - static_cast<double>(result.flips) / rows;
  if (rows == 0) return result;
  result.kl.mean /= rows;
  result.kl_reverse.mean /= rows;
  for (auto& [k, share] : result.topk_overlap) share /= rows;
  return result;
}

}  // namespace parity::compare

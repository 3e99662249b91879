#include "compare/pool_logits.h"

#include <algorithm>

namespace parity::compare {
namespace {

std::uint64_t finite(const LogitsComparison& facts) {
  return facts.positions - facts.non_finite_rows;
}

template <typename Part>
double weighted_share(const std::vector<LogitsComparison>& parts, const Part& part) {
  double sum = 0;
  std::uint64_t rows = 0;
  for (const LogitsComparison& facts : parts) {
    rows += finite(facts);
    if (finite(facts) > 0) sum += part(facts) * static_cast<double>(finite(facts));
  }
  return rows == 0 ? 0 : sum / static_cast<double>(rows);
}

}  // namespace

RowFigure pooled(const std::vector<WeightedFigure>& parts) {
  RowFigure result;
  double sum = 0;
  std::uint64_t rows = 0;
  for (const WeightedFigure& part : parts) {
    if (part.rows == 0) continue;
    rows += part.rows;
    sum += part.figure.mean * static_cast<double>(part.rows);
    result.p99 = std::max(result.p99, part.figure.p99);
    result.max = std::max(result.max, part.figure.max);
  }
  if (rows > 0) result.mean = sum / static_cast<double>(rows);
  return result;
}

LogitsComparison pooled(const std::vector<LogitsComparison>& parts) {
  LogitsComparison result;
  std::vector<WeightedFigure> kl;
  std::vector<WeightedFigure> kl_reverse;
  for (const LogitsComparison& facts : parts) {
    result.positions += facts.positions;
    result.non_finite_rows += facts.non_finite_rows;
    result.flips += facts.flips;
    result.decided_flips += facts.decided_flips;
    result.decided_gap = facts.decided_gap;
    result.max_flip_gap = std::max(result.max_flip_gap, facts.max_flip_gap);
    result.max_logprob_change = std::max(result.max_logprob_change, facts.max_logprob_change);
    kl.push_back({facts.kl, finite(facts)});
    kl_reverse.push_back({facts.kl_reverse, finite(facts)});
  }
  result.kl = pooled(kl);
  result.kl_reverse = pooled(kl_reverse);
  result.top1_agreement =
      weighted_share(parts, [](const LogitsComparison& facts) { return facts.top1_agreement; });
  if (!parts.empty()) result.topk_overlap = parts.front().topk_overlap;
  for (std::size_t k = 0; k < result.topk_overlap.size(); ++k) {
    result.topk_overlap[k].second = weighted_share(
        parts, [k](const LogitsComparison& facts) { return facts.topk_overlap[k].second; });
  }
  return result;
}

}  // namespace parity::compare

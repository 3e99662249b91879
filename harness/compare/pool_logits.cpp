#include "compare/pool_logits.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

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

const std::pair<int, double>* overlap_of(const LogitsComparison& facts, int k) {
  const auto found = std::find_if(facts.topk_overlap.begin(), facts.topk_overlap.end(),
                                  [k](const auto& overlap) { return overlap.first == k; });
  return found == facts.topk_overlap.end() ? nullptr : &*found;
}

/// Of each size over the parts that have it: a small vocabulary has fewer.
std::vector<std::pair<int, double>> pooled_overlap(const std::vector<LogitsComparison>& parts) {
  std::set<int> sizes;
  for (const LogitsComparison& facts : parts)
    for (const auto& [k, share] : facts.topk_overlap) sizes.insert(k);
  std::vector<std::pair<int, double>> result;
  for (const int k : sizes) {
    std::vector<LogitsComparison> with_k;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(with_k),
                 [k](const LogitsComparison& facts) { return overlap_of(facts, k) != nullptr; });
    result.emplace_back(k, weighted_share(with_k, [k](const LogitsComparison& facts) {
                          return overlap_of(facts, k)->second;
                        }));
  }
  return result;
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
  result.topk_overlap = pooled_overlap(parts);
  return result;
}

}  // namespace parity::compare

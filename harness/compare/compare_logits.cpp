// Row by row, on any number of threads: best tokens and distance of the softmaxes; then, in the
// order of rows, what a user would notice.
#include "compare/compare_logits.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "compare/chunk_threads.h"
#include "compare/row_kernel.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::TensorView;

/// The best token of one side of one row.
struct Choice {
  std::size_t top = 0;  ///< index of the largest logit, the first on a tie
  double gap = 0;       ///< between the two largest logits
};

/// What is kept of one row.
struct RowFacts {
  bool usable = false;  ///< the rest is meaningful
  Choice reference;
  Choice candidate;
  SoftmaxDistance distance;
};

Choice choice_of(const BestTokens& best) { return {best.tokens()[0].index, best.gap()}; }

/// How many of the k best tokens both sides have in common.
std::size_t common_count(const BestTokens& reference, const BestTokens& candidate, std::size_t k) {
  const auto first = [k](const BestTokens& best) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < k; ++i) indices.push_back(best.tokens()[i].index);
    std::sort(indices.begin(), indices.end());
    return indices;
  };
  const std::vector<std::size_t> ours = first(reference);
  const std::vector<std::size_t> theirs = first(candidate);
  std::vector<std::size_t> common;
  std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                        std::back_inserter(common));
  return common.size();
}

bool same_bytes(const LogitsRow& reference, const LogitsRow& candidate) {
  return reference.read == candidate.read &&
         std::memcmp(reference.bytes, candidate.bytes,
                     reference.vocabulary * reference.element_bytes) == 0;
}

RowFigure figure_of(std::vector<double> values) {
  RowFigure figure;
  if (values.empty()) return figure;
  std::sort(values.begin(), values.end());
  figure.mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const std::size_t rank = (values.size() * 99 + 99) / 100;
  figure.p99 = values[rank - 1];
  figure.max = values.back();
  return figure;
}

/// What is said of sequences rather than of rows.
struct Sequences {
  Sequences(std::uint64_t positions, std::uint64_t sequence_positions)
      : per_sequence(sequence_positions),
        first_divergent(count(positions), -1),
        next_tokens(count(positions)) {}

  void add(std::uint64_t row, const Choice& reference, const Choice& candidate) {
    const auto sequence = static_cast<std::size_t>(row / per_sequence);
    const std::uint64_t position = row % per_sequence;
    if (reference.top != candidate.top && first_divergent[sequence] < 0)
      first_divergent[sequence] = static_cast<std::int64_t>(position);
    if (position + 1 == per_sequence) {
      next_tokens[sequence] = NextToken{static_cast<std::int64_t>(reference.top),
                                        static_cast<std::int64_t>(candidate.top), reference.gap};
    }
  }

  std::uint64_t per_sequence;
  std::vector<std::int64_t> first_divergent;
  std::vector<std::optional<NextToken>> next_tokens;

 private:
  [[nodiscard]] std::size_t count(std::uint64_t positions) const {
    return per_sequence == 0 ? 0 : static_cast<std::size_t>(positions / per_sequence);
  }
};

/// Works out rows and keeps what is said of them; rows may be worked out by several threads.
class Rows {
 public:
  Rows(const TensorView& reference, const TensorView& candidate, std::vector<int> sizes,
       std::size_t count)
      : reference_(reference),
        candidate_(candidate),
        sizes_(std::move(sizes)),
        facts_(count),
        common_(count * sizes_.size()) {}

  /// Room for the best tokens of one thread's rows.
  struct Best {
    explicit Best(std::size_t room) : reference(room), candidate(room) {}
    BestTokens reference;
    BestTokens candidate;
  };
  [[nodiscard]] Best room(std::size_t vocabulary) const {
    std::size_t most = 2;  // for the gap
    for (const int k : sizes_) most = std::max(most, static_cast<std::size_t>(k));
    return Best(std::min(most, vocabulary));
  }

  void work_out(std::size_t row, Best& best) {
    const LogitsRow reference = row_of(reference_, row);
    const LogitsRow candidate = row_of(candidate_, row);
    RowFacts& facts = facts_[row];
    facts.usable =
        find_best_tokens(reference, best.reference) && find_best_tokens(candidate, best.candidate);
    if (!facts.usable) return;
    facts.reference = choice_of(best.reference);
    facts.candidate = choice_of(best.candidate);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      common_[row * sizes_.size() + i] =
          common_count(best.reference, best.candidate, static_cast<std::size_t>(sizes_[i]));
    }
    if (same_bytes(reference, candidate)) return;
    facts.distance = softmax_distance(Reference{reference}, Candidate{candidate},
                                      Reference{best.reference.tokens()[0].logit},
                                      Candidate{best.candidate.tokens()[0].logit});
  }

  [[nodiscard]] const std::vector<RowFacts>& facts() const { return facts_; }

  /// Share of common tokens among the best k of the row, k the given size.
  [[nodiscard]] double overlap(std::size_t row, std::size_t size) const {
    return static_cast<double>(common_[row * sizes_.size() + size]) / sizes_[size];
  }

 private:
  const TensorView& reference_;
  const TensorView& candidate_;
  std::vector<int> sizes_;
  std::vector<RowFacts> facts_;
  std::vector<std::size_t> common_;  ///< by row, then by size
};

/// Rows that one thread takes at a time: what costs little is not worth a thread.
std::size_t rows_at_a_time(std::size_t vocabulary) {
  constexpr std::size_t kTokensAtATime = std::size_t{1} << 16U;
  return std::max<std::size_t>(1, kTokensAtATime / std::max<std::size_t>(1, vocabulary));
}

void work_out_all(Rows& rows, std::size_t vocabulary, int threads) {
  const std::size_t count = rows.facts().size();
  const std::size_t step = rows_at_a_time(vocabulary);
  const std::size_t chunks = (count + step - 1) / step;
  std::vector<Rows::Best> best(thread_count(chunks, threads), rows.room(vocabulary));
  for_each_chunk(chunks, threads, [&](std::size_t thread, std::size_t chunk) {
    const std::size_t end = std::min(count, (chunk + 1) * step);
    for (std::size_t row = chunk * step; row < end; ++row) rows.work_out(row, best[thread]);
  });
}

/// In the order of rows, so that no sum depends on the threads.
LogitsComparison gather(const Rows& rows, const std::vector<int>& sizes, double decided_gap) {
  LogitsComparison result;
  result.positions = rows.facts().size();
  result.decided_gap = decided_gap;
  for (const int k : sizes) result.topk_overlap.emplace_back(k, 0.0);
  std::vector<double> kl;
  std::vector<double> kl_reverse;
  for (std::size_t row = 0; row < rows.facts().size(); ++row) {
    const RowFacts& facts = rows.facts()[row];
    if (!facts.usable) {
      ++result.non_finite_rows;
      continue;
    }
    kl.push_back(facts.distance.kl);
    kl_reverse.push_back(facts.distance.kl_reverse);
    result.max_logprob_change =
        std::max(result.max_logprob_change, facts.distance.max_logprob_change);
    if (facts.reference.top != facts.candidate.top) {
      ++result.flips;
      if (facts.reference.gap >= decided_gap) ++result.decided_flips;
      result.max_flip_gap = std::max(result.max_flip_gap, facts.reference.gap);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i)
      result.topk_overlap[i].second += rows.overlap(row, i);
  }
  // No row could be judged: nothing agreed, unless there was no row at all.
  const double without_rows = result.positions == 0 ? 1 : 0;
  const auto judged = static_cast<double>(kl.size());
  result.top1_agreement =
      kl.empty() ? without_rows : 1 - static_cast<double>(result.flips) / judged;
  for (auto& [k, overlap] : result.topk_overlap)
    overlap = kl.empty() ? without_rows : overlap / judged;
  result.kl = figure_of(std::move(kl));
  result.kl_reverse = figure_of(std::move(kl_reverse));
  return result;
}

void check_comparable(const TensorView& reference, const TensorView& candidate) {
  if (reference.shape != candidate.shape) {
    throw Error(ErrorKind::incompatible, "reference logits of shape " +
                                             tensor::to_string(reference.shape) +
                                             " cannot be compared with candidate logits of shape " +
                                             tensor::to_string(candidate.shape));
  }
  if (reference.shape.empty() || !tensor::is_floating(reference.dtype) ||
      !tensor::is_floating(candidate.dtype)) {
    throw Error(ErrorKind::incompatible,
                "logits must be floating tensors whose last dimension is the vocabulary, not " +
                    std::string(tensor::name(reference.dtype)) + " of shape " +
                    tensor::to_string(reference.shape) + " against " +
                    std::string(tensor::name(candidate.dtype)));
  }
}

}  // namespace

LogitsComparison compare_logits(Reference<TensorView> reference, Candidate<TensorView> candidate,
                                const LogitsOptions& options) {
  check_comparable(reference.value, candidate.value);
  const tensor::Shape& shape = reference.value.shape;
  const auto vocabulary = static_cast<std::size_t>(shape.back());
  const std::uint64_t elements = tensor::element_count(shape);
  const std::uint64_t positions = vocabulary == 0 ? 0 : elements / vocabulary;
  const std::uint64_t per_sequence =
      shape.size() < 2 ? 1 : static_cast<std::uint64_t>(shape[shape.size() - 2]);

  std::vector<int> sizes;
  for (const int k : options.top_k) {
    if (k > 0 && static_cast<std::size_t>(k) <= vocabulary) sizes.push_back(k);
  }
  Rows rows(reference.value, candidate.value, sizes, static_cast<std::size_t>(positions));
  work_out_all(rows, vocabulary, options.threads);
  LogitsComparison result = gather(rows, sizes, options.decided_gap);
  Sequences sequences(positions, per_sequence);
  for (std::size_t row = 0; row < rows.facts().size(); ++row) {
    const RowFacts& facts = rows.facts()[row];
    if (facts.usable) sequences.add(row, facts.reference, facts.candidate);
  }
  result.first_divergent = std::move(sequences.first_divergent);
  result.next_tokens = std::move(sequences.next_tokens);
  return result;
}

}  // namespace parity::compare

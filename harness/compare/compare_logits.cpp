// Row by row: log-softmax of both sides in float64 with memory for one row, then what a user would
// notice.
#include "compare/compare_logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "compare/formats.h"
#include "error/error.h"

namespace parity::compare {
namespace {

using tensor::TensorView;

/// One side of one row.
struct Row {
  std::vector<double> logits;
  std::vector<double> logprobs;
  std::size_t top = 0;  ///< index of the largest logit, the first on a tie
  double gap = 0;       ///< between the two largest logits
};

class RowReader {
 public:
  RowReader(const TensorView& view, std::size_t vocabulary)
      : view_(view),
        vocabulary_(vocabulary),
        size_bytes_(tensor::size_bytes(view.dtype)),
        read_(value_reader(view.dtype)) {}

  void read(std::uint64_t row, std::vector<double>& logits) const {
    logits.resize(vocabulary_);
    const std::byte* from = view_.bytes.data() + row * vocabulary_ * size_bytes_;
    for (std::size_t i = 0; i < vocabulary_; ++i) logits[i] = read_(from + i * size_bytes_);
  }

 private:
  const TensorView& view_;
  std::size_t vocabulary_;
  std::size_t size_bytes_;
  ValueReader read_;
};

bool usable(const std::vector<double>& logits) {
  bool any_finite = false;
  for (const double logit : logits) {
    if (std::isnan(logit) || logit == std::numeric_limits<double>::infinity()) return false;
    any_finite = any_finite || std::isfinite(logit);
  }
  return any_finite;
}

void finish_row(Row& row) {
  double second = -std::numeric_limits<double>::infinity();
  row.top = 0;
  for (std::size_t i = 1; i < row.logits.size(); ++i) {
    if (row.logits[i] > row.logits[row.top]) {
      second = row.logits[row.top];
      row.top = i;
    } else {
      second = std::max(second, row.logits[i]);
    }
  }
  const double largest = row.logits[row.top];
  row.gap = largest - second;
  double total = 0;
  for (const double logit : row.logits) total += std::exp(logit - largest);
  const double shift = largest + std::log(total);
  row.logprobs.resize(row.logits.size());
  for (std::size_t i = 0; i < row.logits.size(); ++i) row.logprobs[i] = row.logits[i] - shift;
}

/// KL(from || to) in nat; terms where `from` has no mass add nothing, a mass that `to` excludes
/// makes it infinite.
double kl_divergence(const std::vector<double>& from, const std::vector<double>& to) {
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double mass = std::exp(from[i]);
    if (mass > 0) sum += mass * (from[i] - to[i]);
  }
  // Rounding can leave a sum just below zero, which no divergence is.
  return std::max(sum, 0.0);
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(a[i]) && std::isfinite(b[i]))
      result = std::max(result, std::abs(a[i] - b[i]));
  }
  return result;
}

/// Indices of the k largest logits, ascending; equal logits go by index.
std::vector<std::size_t> top_indices(const std::vector<double>& logits, std::size_t k,
                                     std::vector<std::size_t>& order) {
  order.resize(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto larger = [&](std::size_t a, std::size_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                    larger);
  return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)};
}

std::size_t common_count(std::vector<std::size_t> a, std::vector<std::size_t> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::vector<std::size_t> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  return common.size();
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

  void add(std::uint64_t row, const Row& reference, const Row& candidate) {
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

/// Everything gathered over the rows; one for one call.
class Gathering {
 public:
  Gathering(const LogitsOptions& options, std::size_t vocabulary) {
    result_.decided_gap = options.decided_gap;
    for (const int k : options.top_k) {
      if (k > 0 && static_cast<std::size_t>(k) <= vocabulary)
        result_.topk_overlap.emplace_back(k, 0.0);
    }
  }

  void add(const Row& reference, const Row& candidate) {
    kl_.push_back(kl_divergence(reference.logprobs, candidate.logprobs));
    kl_reverse_.push_back(kl_divergence(candidate.logprobs, reference.logprobs));
    result_.max_logprob_change = std::max(result_.max_logprob_change,
                                          largest_change(reference.logprobs, candidate.logprobs));
    if (reference.top != candidate.top) {
      ++result_.flips;
      if (reference.gap >= result_.decided_gap) ++result_.decided_flips;
      result_.max_flip_gap = std::max(result_.max_flip_gap, reference.gap);
    }
    add_overlap(reference, candidate);
  }

  void add_non_finite() { ++result_.non_finite_rows; }

  [[nodiscard]] LogitsComparison finish(std::uint64_t positions, Sequences sequences) {
    result_.positions = positions;
    result_.first_divergent = std::move(sequences.first_divergent);
    result_.next_tokens = std::move(sequences.next_tokens);
    const auto rows = static_cast<double>(kl_.size());
    if (!kl_.empty()) {
      result_.top1_agreement = 1 - static_cast<double>(result_.flips) / rows;
      for (auto& [k, overlap] : result_.topk_overlap) overlap /= rows;
    } else {
      // No row could be judged: nothing agreed, unless there was no row at all.
      result_.top1_agreement = positions == 0 ? 1 : 0;
      for (auto& [k, overlap] : result_.topk_overlap) overlap = result_.top1_agreement;
    }
    result_.kl = figure_of(std::move(kl_));
    result_.kl_reverse = figure_of(std::move(kl_reverse_));
    return std::move(result_);
  }

 private:
  void add_overlap(const Row& reference, const Row& candidate) {
    if (result_.topk_overlap.empty()) return;
    int largest = 0;
    for (const auto& [k, overlap] : result_.topk_overlap) largest = std::max(largest, k);
    const auto ours = top_indices(reference.logits, static_cast<std::size_t>(largest), order_);
    const auto theirs = top_indices(candidate.logits, static_cast<std::size_t>(largest), order_);
    for (auto& [k, overlap] : result_.topk_overlap) {
      const std::size_t common =
          common_count({ours.begin(), ours.begin() + k}, {theirs.begin(), theirs.begin() + k});
      overlap += static_cast<double>(common) / k;
    }
  }

  LogitsComparison result_;
  std::vector<double> kl_;
  std::vector<double> kl_reverse_;
  std::vector<std::size_t> order_;
};

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

  const RowReader reference_reader(reference.value, vocabulary);
  const RowReader candidate_reader(candidate.value, vocabulary);
  Gathering gathering(options, vocabulary);
  Sequences sequences(positions, per_sequence);
  Row ours;
  Row theirs;
  for (std::uint64_t row = 0; row < positions; ++row) {
    reference_reader.read(row, ours.logits);
    candidate_reader.read(row, theirs.logits);
    if (!usable(ours.logits) || !usable(theirs.logits)) {
      gathering.add_non_finite();
      continue;
    }
    finish_row(ours);
    finish_row(theirs);
    gathering.add(ours, theirs);
    sequences.add(row, ours, theirs);
  }
  return gathering.finish(positions, std::move(sequences));
}

}  // namespace parity::compare

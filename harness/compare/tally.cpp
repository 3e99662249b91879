// Merging of tallies, the worst-N heap, and sums that survive both ends of the float64 range.
#include "compare/tally.h"

#include <algorithm>
#include <cmath>

namespace parity::compare {
namespace {

/// Neumaier's compensated sum.
class CompensatedSum {
 public:
  void add(double value) {
    const double total = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - total) + value : (value - total) + sum_;
    sum_ = total;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

template <std::size_t count>
WideReal join(const std::array<CompensatedSum, count>& sums) {
  std::array<WideReal, count> parts{};
  int top = 0;
  bool any = false;
  for (std::size_t k = 0; k < count; ++k) {
    parts[k].mantissa = std::frexp(sums[k].value(), &parts[k].exponent);
    parts[k].exponent += kScaleExponent * (static_cast<int>(k) - static_cast<int>(count / 2));
    if (parts[k].mantissa == 0) continue;
    top = any ? std::max(top, parts[k].exponent) : parts[k].exponent;
    any = true;
  }
  WideReal result{0, top};
  for (const WideReal& part : parts) {
    if (part.mantissa != 0) result.mantissa += std::ldexp(part.mantissa, part.exponent - top);
  }
  return result;
}

template <std::size_t count>
WideReal add_field(const std::vector<ChunkSums>& chunks,
                   std::array<double, count> ChunkSums::*field) {
  std::array<CompensatedSum, count> sums{};
  for (const ChunkSums& chunk : chunks) {
    for (std::size_t k = 0; k < count; ++k) sums[k].add((chunk.*field)[k]);
  }
  return join(sums);
}

WideReal root(const WideReal& value) {
  const bool odd = value.exponent % 2 != 0;
  const double mantissa = odd ? value.mantissa * 2 : value.mantissa;
  return {std::sqrt(mantissa), (odd ? value.exponent - 1 : value.exponent) / 2};
}

ClassCounts sum_of(const ClassCounts& a, const ClassCounts& b) {
  ClassCounts sum;
  sum.equal_bits = a.equal_bits + b.equal_bits;
  sum.finite = a.finite + b.finite;
  sum.both_nan = a.both_nan + b.both_nan;
  sum.nan_reference_only = a.nan_reference_only + b.nan_reference_only;
  sum.nan_candidate_only = a.nan_candidate_only + b.nan_candidate_only;
  sum.inf_equal = a.inf_equal + b.inf_equal;
  sum.inf_opposite = a.inf_opposite + b.inf_opposite;
  sum.inf_reference_only = a.inf_reference_only + b.inf_reference_only;
  sum.inf_candidate_only = a.inf_candidate_only + b.inf_candidate_only;
  sum.zero_reference = a.zero_reference + b.zero_reference;
  sum.zero_sign = a.zero_sign + b.zero_sign;
  sum.flushed_to_zero = a.flushed_to_zero + b.flushed_to_zero;
  return sum;
}

bool keeps_order(const WorstEntry& a, const WorstEntry& b) { return a.worse_than(b); }

}  // namespace

void WorstList::offer(const WorstEntry& entry) {
  if (capacity_ == 0) return;
  if (heap_.size() < capacity_) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), keeps_order);
    return;
  }
  if (!entry.worse_than(heap_.front())) return;
  std::pop_heap(heap_.begin(), heap_.end(), keeps_order);
  heap_.back() = entry;
  std::push_heap(heap_.begin(), heap_.end(), keeps_order);
}

std::vector<WorstEntry> WorstList::sorted() const {
  std::vector<WorstEntry> result = heap_;
  std::sort(result.begin(), result.end(), keeps_order);
  return result;
}

void Tally::merge(const Tally& other) {
  classes = sum_of(classes, other.classes);
  for (std::size_t bin = 0; bin < ulp.size(); ++bin) ulp[bin] += other.ulp[bin];
  for (std::size_t bin = 0; bin < relative.size(); ++bin) relative[bin] += other.relative[bin];
  max_ulp = std::max(max_ulp, other.max_ulp);
  max_relative = std::max(max_relative, other.max_relative);
  max_absolute = std::max(max_absolute, other.max_absolute);
  for (const WorstEntry& entry : other.worst.entries()) worst.offer(entry);
}

TensorSums add_in_order(const std::vector<ChunkSums>& chunks) {
  TensorSums sums;
  sums.reference_squared = add_field(chunks, &ChunkSums::reference_squared);
  sums.candidate_squared = add_field(chunks, &ChunkSums::candidate_squared);
  sums.product = add_field(chunks, &ChunkSums::product);
  sums.difference_squared = add_field(chunks, &ChunkSums::difference_squared);
  sums.difference = add_field(chunks, &ChunkSums::difference);
  return sums;
}

double to_double(const WideReal& value) { return std::ldexp(value.mantissa, value.exponent); }

double root_of_ratio(const WideReal& numerator, const WideReal& denominator) {
  const WideReal quotient{numerator.mantissa / denominator.mantissa,
                          numerator.exponent - denominator.exponent};
  return to_double(root(quotient));
}

double cosine_of(const WideReal& product, const WideReal& left, const WideReal& right) {
  const WideReal a = root(left);
  const WideReal b = root(right);
  const double cosine = std::ldexp(product.mantissa / (a.mantissa * b.mantissa),
                                   product.exponent - a.exponent - b.exponent);
  return std::clamp(cosine, -1.0, 1.0);
}

}  // namespace parity::compare

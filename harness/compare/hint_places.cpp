// Patterns of place: an offset per row, a shift along an axis, the same values in another order.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/hint_sample.h"
#include "compare/permutation.h"
#include "tensor/dtype.h"

namespace parity::compare {
namespace {

/// Offset that explains the row, if one does.
std::optional<double> offset_of(const SampledRow& row) {
  std::vector<double> differences;
  double lowest = 0;
  double highest = 0;
  for (const Pair& pair : row.pairs) {
    if (pair.kind != PairKind::finite) continue;
    lowest = differences.empty() ? pair.reference : std::min(lowest, pair.reference);
    highest = differences.empty() ? pair.reference : std::max(highest, pair.reference);
    differences.push_back(pair.difference);
  }
  if (differences.size() < 4 || lowest == highest) return std::nullopt;
  const double offset = median(differences);
  if (offset == 0) return std::nullopt;
  const auto explained = static_cast<std::size_t>(std::count_if(
      differences.begin(), differences.end(),
      [&](double difference) { return std::abs(difference - offset) <= std::abs(offset) / 8; }));
  return mostly(explained, differences.size()) ? std::optional(offset) : std::nullopt;
}

struct Shift {
  std::size_t axis;
  std::int64_t step;
};

struct ShiftCount {
  std::size_t explained = 0;
  std::size_t tried = 0;
};

ShiftCount try_shift(const HintSample& sample, const Shift& shift) {
  std::int64_t stride = 1;
  for (std::size_t axis = shift.axis + 1; axis < sample.shape.size(); ++axis)
    stride *= sample.shape[axis];
  const std::int64_t size = sample.shape[shift.axis];
  ShiftCount count;
  for (const SampledPair& sampled : sample.finite) {
    const auto flat = static_cast<std::int64_t>(sampled.index);
    const std::int64_t from = flat / stride % size - shift.step;
    if (from < 0 || from >= size) continue;
    Pair source;
    sample.source.read(static_cast<std::uint64_t>(flat - shift.step * stride),
                       std::span<Pair>(&source, 1));
    ++count.tried;
    if (explains(source.reference, sampled.pair)) ++count.explained;
  }
  return count;
}

bool whole_tensor_is_permutation(const HintSample& sample) {
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 20U;
  const std::uint64_t elements = sample.source.elements();
  if (elements < kFewestElements || elements > kMostElements) return false;
  return is_permutation(sample.source);
}

}  // namespace

std::optional<Hint> find_row_offset(const HintSample& sample) {
  std::size_t explained = 0;
  std::size_t elements = 0;
  double lowest = 0;
  double highest = 0;
  for (const SampledRow& row : sample.rows) {
    elements += row.pairs.size();
    const std::optional<double> offset = offset_of(row);
    if (!offset) continue;
    lowest = explained == 0 ? *offset : std::min(lowest, *offset);
    highest = explained == 0 ? *offset : std::max(highest, *offset);
    ++explained;
  }
  if (explained == 0 || elements < kFewestElements || !mostly(explained, sample.rows.size()))
    return std::nullopt;
  return Hint{"row_offset", fmt::format("candidate = reference + one offset per row ({:.6g} .. "
                                        "{:.6g}) in {} of {} rows looked at",
                                        lowest, highest, explained, sample.rows.size())};
}

std::optional<Hint> find_shifted(const HintSample& sample) {
  for (std::size_t axis = sample.shape.size(); axis-- > 0;) {
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{-1}}) {
      const ShiftCount count = try_shift(sample, {axis, step});
      if (count.tried < kFewestElements || !mostly(count.explained, count.tried)) continue;
      return Hint{
          "shifted",
          fmt::format("candidate[i] = reference[i{:+d}] along axis {} in {} of {} elements outside",
                      -step, axis, count.explained, count.tried)};
    }
  }
  return std::nullopt;
}

std::optional<Hint> find_permuted(const HintSample& sample) {
  const tensor::DType dtype = sample.source.ulp_dtype();
  const auto permuted = static_cast<std::size_t>(
      std::count_if(sample.rows.begin(), sample.rows.end(),
                    [&](const SampledRow& row) { return is_permutation(row.pairs, dtype); }));
  if (permuted > 0 && mostly(permuted, sample.rows.size())) {
    return Hint{
        "permuted",
        fmt::format("the same values in another order within the row, in {} of {} rows looked at",
                    permuted, sample.rows.size())};
  }
  if (whole_tensor_is_permutation(sample)) {
    return Hint{"permuted", fmt::format("the same {} values in another order across rows",
                                        sample.source.elements())};
  }
  return std::nullopt;
}

}  // namespace parity::compare

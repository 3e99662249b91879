// Takes the sample and asks every pattern.
#include "compare/hints.h"

#include <algorithm>

#include "compare/hint_sample.h"

namespace parity::compare {
namespace {

constexpr std::size_t kSampledPairs = 8192;
constexpr std::size_t kSampledRows = 64;
constexpr std::uint64_t kSampledRowElements = std::uint64_t{1} << 22U;
constexpr std::uint64_t kShortestRow = 4;

/// `count` items spread evenly over `all`.
template <typename T>
std::vector<T> spread(std::span<const T> all, std::size_t count) {
  if (all.size() <= count) return {all.begin(), all.end()};
  std::vector<T> chosen;
  chosen.reserve(count);
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

std::vector<SampledRow> read_rows(const PairSource& source, const tensor::Shape& shape,
                                  std::span<const std::uint64_t> sample) {
  const std::uint64_t length = shape.empty() ? 1 : static_cast<std::uint64_t>(shape.back());
  std::vector<SampledRow> rows;
  if (length < kShortestRow || length > kSampledRowElements) return rows;
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t index : sample) {
    if (numbers.empty() || numbers.back() != index / length) numbers.push_back(index / length);
  }
  const std::size_t count =
      std::min<std::size_t>(kSampledRows, static_cast<std::size_t>(kSampledRowElements / length));
  for (const std::uint64_t number : spread<std::uint64_t>(numbers, count)) {
    SampledRow row;
    row.pairs.resize(static_cast<std::size_t>(length));
    source.read(number * length, row.pairs);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::vector<Hint> find_hints(const PairSource& source, const tensor::Shape& shape,
                             std::span<const std::uint64_t> sample) {
  HintSample read{source, shape, {}, {}, read_rows(source, shape, sample)};
  for (const std::uint64_t index : spread(sample, kSampledPairs)) {
    SampledPair sampled{index, {}};
    source.read(index, std::span<Pair>(&sampled.pair, 1));
    read.outside.push_back(sampled);
    if (sampled.pair.kind == PairKind::finite) read.finite.push_back(sampled);
  }
  std::vector<Hint> hints;
  const auto ask = [&](std::optional<Hint> (*find)(const HintSample&)) {
    std::optional<Hint> hint = find(read);
    if (hint) hints.push_back(std::move(*hint));
    return hint.has_value();
  };
  const bool zeroed = ask(&find_zeroed);
  if (!zeroed) {
    ask(&find_scaled);
    ask(&find_clamped);
  }
  ask(&find_row_offset);
  // A shift within a row is a permutation too; the narrower word says more.
  if (!ask(&find_shifted)) ask(&find_permuted);
  return hints;
}

}  // namespace parity::compare

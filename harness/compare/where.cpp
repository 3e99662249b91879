// Excess is summed per index of each axis in whole numbers, so that threads may add in any order.
#include "compare/where.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/chunk_threads.h"
#include "compare/each_pair.h"
#include "compare/main_pass.h"

namespace parity::compare {
namespace {

constexpr std::size_t kLookedAtCount = 256;  // elements that all_inside may skip in one step
constexpr std::size_t kSampleSize = 65536;
constexpr std::int64_t kAxisBins = 65536;
constexpr double kExcessUnits = 1048576;  // of the largest difference
constexpr double kHeldShare = 0.95;
/// A range is worth cutting out of the whole extent when it has at most this share of its length:
/// even excess has 95 %.
constexpr double kClearlyShorter = 0.8;

std::uint64_t excess_units(const Pair& pair, const AbsoluteBound& bound,
                           double largest_difference) {
  if (pair.kind != PairKind::finite || !(largest_difference > 0))
    return static_cast<std::uint64_t>(kExcessUnits);
  const double size = std::min(std::abs(pair.difference), std::numeric_limits<double>::max());
  const double over = size - (bound.relative * std::abs(pair.reference) + bound.absolute);
  const double unit = std::min(largest_difference, std::numeric_limits<double>::max());
  return 1 + static_cast<std::uint64_t>(std::clamp(over / unit, 0.0, 1.0) * kExcessUnits);
}

struct ThreadFinding {
  std::uint64_t outside = 0;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::vector<AxisExcess> axes;
};

void add_to_axes(std::uint64_t index, const tensor::Shape& shape, std::uint64_t amount,
                 std::vector<AxisExcess>& axes) {
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const auto size = static_cast<std::uint64_t>(shape[axis]);
    axes[axis].add(static_cast<std::int64_t>(index % size), amount);
    index /= size;
  }
}

std::vector<AxisExcess> empty_axes(const tensor::Shape& shape) {
  std::vector<AxisExcess> axes;
  for (const std::int64_t size : shape) axes.emplace_back(size);
  return axes;
}

struct Window {
  std::size_t first;
  std::size_t last;
  std::uint64_t held;
};

Window smallest_window(const AxisExcess& axis, std::uint64_t total) {
  const double wanted = kHeldShare * static_cast<double>(total);
  Window best{0, axis.excess.size() - 1, total};
  std::uint64_t held = 0;
  std::size_t first = 0;
  for (std::size_t last = 0; last < axis.excess.size(); ++last) {
    held += axis.excess[last];
    while (static_cast<double>(held - axis.excess[first]) >= wanted) held -= axis.excess[first++];
    if (static_cast<double>(held) >= wanted && last - first < best.last - best.first)
      best = {first, last, held};
  }
  return best;
}

/// Takes in neighbours that are as wrong as the window itself, so that 95 % does not cut the ends
/// off an even fault.
Window grown(Window window, const AxisExcess& axis) {
  constexpr double kAsWrong = 0.25;  // of the window's mean
  const double limit = kAsWrong * static_cast<double>(window.held) /
                       static_cast<double>(window.last - window.first + 1);
  const auto as_wrong = [&](std::size_t bin) {
    return static_cast<double>(axis.excess[bin]) >= limit;
  };
  while (window.first > 0 && as_wrong(window.first - 1)) window.held += axis.excess[--window.first];
  while (window.last + 1 < axis.excess.size() && as_wrong(window.last + 1))
    window.held += axis.excess[++window.last];
  return window;
}

AxisRange range_of(const AxisExcess& axis, std::size_t number) {
  std::uint64_t total = 0;
  for (const std::uint64_t amount : axis.excess) total += amount;
  AxisRange whole{number, 0, axis.size - 1, axis.size, 1.0};
  if (total == 0) return whole;
  const auto some = [](std::uint64_t amount) { return amount != 0; };
  const auto begin = std::find_if(axis.excess.begin(), axis.excess.end(), some);
  const auto end = std::find_if(axis.excess.rbegin(), axis.excess.rend(), some);
  whole.first = axis.lowest[static_cast<std::size_t>(begin - axis.excess.begin())];
  whole.last =
      axis.highest[axis.excess.size() - 1 - static_cast<std::size_t>(end - axis.excess.rbegin())];
  const Window window = grown(smallest_window(axis, total), axis);
  const std::int64_t first = std::max(axis.lowest[window.first], whole.first);
  const std::int64_t last = std::min(axis.highest[window.last], whole.last);
  const auto length = static_cast<double>(last - first + 1);
  if (length > kClearlyShorter * static_cast<double>(whole.last - whole.first + 1)) return whole;
  return {number, first, last, axis.size,
          static_cast<double>(window.held) / static_cast<double>(total)};
}

}  // namespace

bool is_outside(const Pair& pair, const AbsoluteBound& bound) {
  if (pair.kind != PairKind::finite) return is_one_sided(pair.kind);
  return !(std::abs(pair.difference) <= bound.relative * std::abs(pair.reference) + bound.absolute);
}

AxisExcess::AxisExcess(std::int64_t axis_size)
    : size(axis_size),
      width((axis_size + kAxisBins - 1) / kAxisBins),
      excess(),
      lowest(),
      highest() {
  if (width == 0) return;
  const auto bins = static_cast<std::size_t>((axis_size + width - 1) / width);
  excess.assign(bins, 0);
  lowest.assign(bins, std::numeric_limits<std::int64_t>::max());
  highest.assign(bins, -1);
}

void AxisExcess::add(std::int64_t index, std::uint64_t amount) {
  const auto bin = static_cast<std::size_t>(index / width);
  excess[bin] += amount;
  lowest[bin] = std::min(lowest[bin], index);
  highest[bin] = std::max(highest[bin], index);
}

void AxisExcess::merge(const AxisExcess& other) {
  for (std::size_t bin = 0; bin < excess.size(); ++bin) {
    excess[bin] += other.excess[bin];
    lowest[bin] = std::min(lowest[bin], other.lowest[bin]);
    highest[bin] = std::max(highest[bin], other.highest[bin]);
  }
}

std::vector<AxisRange> ranges_of(std::span<const AxisExcess> axes) {
  std::vector<AxisRange> ranges;
  for (std::size_t number = 0; number < axes.size(); ++number) {
    const AxisRange range = range_of(axes[number], number);
    if (range.last - range.first + 1 < range.size) ranges.push_back(range);
  }
  return ranges;
}

OutsideElements find_outside(const PairSource& source, const tensor::Shape& shape,
                             const AbsoluteBound& bound, double largest_difference, int threads) {
  const std::uint64_t elements = source.elements();
  const auto chunks = static_cast<std::size_t>((elements + kChunkElements - 1) / kChunkElements);
  const std::size_t samples_per_chunk =
      std::max<std::size_t>(1, kSampleSize / std::max<std::size_t>(chunks, 1));
  std::vector<std::vector<std::uint64_t>> samples(chunks);
  std::vector<ThreadFinding> findings(thread_count(chunks, threads), {.axes = empty_axes(shape)});
  for_each_chunk(chunks, threads, [&](std::size_t thread, std::size_t chunk) {
    ThreadFinding& finding = findings[thread];
    const std::uint64_t begin = std::uint64_t{chunk} * kChunkElements;
    const std::uint64_t end = std::min<std::uint64_t>(elements, begin + kChunkElements);
    for (std::uint64_t at = begin; at < end; at += kLookedAtCount) {
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(kLookedAtCount, end - at));
      if (source.all_inside(at, count, bound)) continue;
      for_each_pair(source, at, count, [&](const Pair& pair, std::uint64_t index) {
        if (!is_outside(pair, bound)) return;
        ++finding.outside;
        finding.first = std::min(finding.first, index);
        add_to_axes(index, shape, excess_units(pair, bound, largest_difference), finding.axes);
        if (samples[chunk].size() < samples_per_chunk) samples[chunk].push_back(index);
      });
    }
  });
  OutsideElements result;
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::vector<AxisExcess> axes = empty_axes(shape);
  for (const ThreadFinding& finding : findings) {
    result.where.outside += finding.outside;
    first = std::min(first, finding.first);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].merge(finding.axes[axis]);
  }
  if (result.where.outside == 0) return result;
  result.where.first = tensor::unravel(first, shape);
  result.where.share = static_cast<double>(result.where.outside) / static_cast<double>(elements);
  result.where.axes = ranges_of(axes);
  for (const auto& part : samples)
    result.sample.insert(result.sample.end(), part.begin(), part.end());
  return result;
}

}  // namespace parity::compare

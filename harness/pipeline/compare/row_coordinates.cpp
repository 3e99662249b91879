#include "pipeline/compare/row_coordinates.h"

#include <algorithm>

namespace parity::pipeline {
namespace {

/// `index` is [stored row, column] with what lies below an element (a complex part) behind it.
std::vector<std::int64_t> in_tap(const std::vector<std::int64_t>& index,
                                 const std::vector<std::int64_t>& rows, const tensor::Shape& full) {
  if (index.size() < 2) return index;
  const std::int64_t width = full.empty() ? 1 : full.back();
  const std::int64_t flat = rows.at(static_cast<std::size_t>(index[0])) * width + index[1];
  std::vector<std::int64_t> result = tensor::unravel(static_cast<std::uint64_t>(flat), full);
  result.insert(result.end(), index.begin() + 2, index.end());
  return result;
}

}  // namespace

void to_tap_coordinates(compare::TensorComparison& facts, const std::vector<std::int64_t>& rows,
                        const tensor::Shape& full) {
  for (compare::Element& element : facts.worst) element.index = in_tap(element.index, rows, full);
  facts.where.first = in_tap(facts.where.first, rows, full);
  std::vector<compare::AxisRange>& axes = facts.where.axes;
  axes.erase(std::remove_if(
                 axes.begin(), axes.end(),
                 [&](const compare::AxisRange& range) { return range.axis == 0 || full.empty(); }),
             axes.end());
  for (compare::AxisRange& range : axes) range.axis = full.size() - 1 + (range.axis - 1);
}

}  // namespace parity::pipeline

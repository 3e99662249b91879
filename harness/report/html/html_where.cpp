#include "report/html/html_where.h"

#include <cstddef>

#include <fmt/format.h>

#include "report/words/numbers.h"

namespace parity::report {
namespace {

std::string axis_name(std::size_t axis, std::size_t axes) {
  if (axis + 1 == axes) return "last axis";
  return fmt::format("axis {} of {}", axis + 1, axes);
}

/// Places count from 0, as in an index.
std::string axis_text(const compare::AxisRange& range, std::size_t axes) {
  const std::string places = range.first == range.last
                                 ? fmt::format("{}", range.first)
                                 : fmt::format("{} to {}", range.first, range.last);
  return fmt::format("{}: {} of {}, with {} % of the excess", axis_name(range.axis, axes), places,
                     range.size, percent(range.share));
}

}  // namespace

std::string html_where_text(const compare::TensorComparison& facts) {
  const compare::Where& where = facts.where;
  std::string text = fmt::format("{} of {} elements outside ({} %), first at {}", where.outside,
                                 facts.elements, percent(where.share), index_text(where.first));
  for (const compare::AxisRange& range : where.axes)
    text += "; " + axis_text(range, where.first.size());
  return text;
}

}  // namespace parity::report

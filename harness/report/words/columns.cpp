#include "report/words/columns.h"

#include <algorithm>

#include "report/words/text.h"

namespace parity::report {
namespace {

constexpr int kMarkWidth = 2;
constexpr int kGap = 2;

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

Layout::Layout(std::vector<ColumnSpec> columns, const std::vector<Row>& rows, int width)
    : columns_(std::move(columns)) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    int widest = display_width(columns_[i].title);
    for (const Row& row : rows) widest = std::max(widest, display_width(row.cells.at(i).text));
    widths_.push_back(widest);
  }
  // A third of the width is enough to tell layers apart by the tail of their path.
  const int natural = widths_.front();
  widths_.front() = std::min(natural, width / 3);
  std::vector<std::size_t> by_importance;
  for (std::size_t i = 1; i < columns_.size(); ++i) by_importance.push_back(i);
  std::stable_sort(by_importance.begin(), by_importance.end(),
                   [&](std::size_t one, std::size_t other) {
                     return columns_[one].importance > columns_[other].importance;
                   });
  // A column that does not fit leaves its room to narrower ones that matter less.
  std::vector<int> wanted(widths_.size(), 0);
  std::swap(wanted, widths_);
  widths_.front() = wanted.front();
  for (const std::size_t column : by_importance) {
    if (total() + kGap + wanted[column] <= width) widths_[column] = wanted[column];
  }
  widths_.front() = std::min(natural, widths_.front() + std::max(0, width - total()));
}

int Layout::total() const {
  int sum = kMarkWidth + widths_.front();
  for (std::size_t i = 1; i < widths_.size(); ++i) {
    if (widths_[i] > 0) sum += kGap + widths_[i];
  }
  return sum;
}

std::string Layout::line(const Row& row, Color color) const {
  std::string text = pad_right(row.mark, kMarkWidth);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (widths_[i] == 0) continue;
    if (i > 0) text.append(kGap, ' ');
    const Cell& cell = row.cells.at(i);
    const std::string shown = keep_tails(cell.text, widths_[i]);
    const auto missing = static_cast<std::size_t>(std::max(0, widths_[i] - display_width(shown)));
    const std::string space(missing, ' ');
    const std::string painted = paint(shown, cell.tone, color);
    text += columns_[i].align == Align::right ? space + painted : painted + space;
  }
  return trimmed(std::move(text));
}

std::string Layout::title_line(Color color) const {
  Row titles;
  for (const ColumnSpec& column : columns_) titles.cells.push_back({column.title, Tone::strong});
  return line(titles, color);
}

}  // namespace parity::report

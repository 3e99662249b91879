// Columns of a table that fit a width: what matters least is dropped first, one column may be
// shortened. Knows nothing of what stands in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/terminal/ink.h"
#include "report/terminal/table.h"

namespace parity::report {

enum class Align : std::uint8_t { left, right };

struct ColumnSpec {
  std::string title;
  Align align = Align::left;
  int importance = 0;  ///< columns of the highest importance get their room first
};

struct Cell {
  std::string text;  ///< clean
  Tone tone = Tone::plain;
};

/// A mark before the row ("" or one column) and one cell per column.
struct Row {
  std::string mark;
  std::vector<Cell> cells;
};

/// Which columns are shown and how wide they are. The first column is never dropped; it is
/// shortened from its head when everything else is as narrow as it gets.
class Layout {
 public:
  Layout(std::vector<ColumnSpec> columns, const std::vector<Row>& rows, int width);

  [[nodiscard]] std::string title_line(Color color) const;
  [[nodiscard]] std::string line(const Row& row, Color color) const;
  [[nodiscard]] bool shows(std::size_t column) const { return widths_.at(column) > 0; }

 private:
  [[nodiscard]] int total() const;

  std::vector<ColumnSpec> columns_;
  std::vector<int> widths_;  ///< 0 for a dropped column
};

}  // namespace parity::report

// The lines of a table report as they are put together, none wider than the page.
// Knows widths and tones, and nothing of what the lines say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal/ink.h"
#include "report/terminal/table.h"

namespace parity::report {

class Page {
 public:
  explicit Page(const TableOptions& options);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] Color color() const { return color_; }

  /// A finished line that fits.
  void line(std::string text) { lines_.push_back(std::move(text)); }
  void blank();
  /// One line, shortened where it does not fit.
  void clipped(std::string_view text, Tone tone = Tone::plain);
  /// Prose over as many lines as it needs, `first` before the first line and spaces before the
  /// others.
  void wrapped(std::string_view first, std::string_view text, Tone tone = Tone::plain);
  void command(std::string_view first, std::string_view text);

  [[nodiscard]] std::string text() const;

 private:
  int width_;
  Color color_;
  std::vector<std::string> lines_;
};

}  // namespace parity::report

#include "report/terminal/page.h"

#include <algorithm>

#include "report/words/text.h"

namespace parity::report {

Page::Page(const TableOptions& options)
    : width_(std::clamp(options.width, kLeastWidth, kGreatestWidth)), color_(options.color) {}

void Page::blank() {
  if (!lines_.empty() && !lines_.back().empty()) lines_.emplace_back();
}

void Page::clipped(std::string_view text, Tone tone) {
  lines_.push_back(paint(keep_head(clean(text), width_), tone, color_));
}

void Page::wrapped(std::string_view first, std::string_view text, Tone tone) {
  for (const std::string& line : wrap(text, first, width_))
    lines_.push_back(paint(line, tone, color_));
}

void Page::command(std::string_view first, std::string_view text) {
  for (std::string& line : wrap_command(text, first, width_)) lines_.push_back(std::move(line));
}

std::string Page::text() const {
  std::string result;
  for (const std::string& line : lines_) result.append(line).append("\n");
  return result;
}

}  // namespace parity::report

// HTML in the making: text and attribute values are escaped on their way in, so that nothing of
// unknown origin can become markup. Knows nothing of reports.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parity::report {

/// Clean text in which nothing is left that HTML would obey, in text and in quoted attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// As JavaScript's encodeURIComponent, for the part of a link behind "#".
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// An attribute whose value is empty is left out.
using Attributes = std::vector<std::pair<std::string_view, std::string>>;

class Markup {
 public:
  Markup& open(std::string_view tag, const Attributes& attributes = {});
  Markup& close();  ///< the innermost open element
  Markup& text(std::string_view text);
  /// Text in which no line breaks inside of a flag ("--weights").
  Markup& sentence(std::string_view text);
  /// As code; a line may break behind its dots and slashes.
  Markup& name(std::string_view text);
  Markup& element(std::string_view tag, std::string_view text, const Attributes& attributes = {});
  [[nodiscard]] std::string str() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace parity::report

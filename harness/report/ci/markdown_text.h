// Text of unknown origin inside Markdown, as GitHub and GitLab read it: it stays the text that it
// is and can end no table cell, open no tag, link nothing and call nobody.
#pragma once

#include <string>
#include <string_view>

namespace parity::report {

/// A code span of at most `width` columns; what is cut is marked. A backtick and a pipe, which no
/// escape makes safe in a code span in a table everywhere, are shown as "ˋ" and "¦".
[[nodiscard]] std::string markdown_code(std::string_view text, int width);

/// Prose of at most `width` columns.
[[nodiscard]] std::string markdown_prose(std::string_view text, int width);

/// Prose in which names (words with a dot or an underscore inside) are code spans.
[[nodiscard]] std::string markdown_sentence(std::string_view text, int width);

}  // namespace parity::report

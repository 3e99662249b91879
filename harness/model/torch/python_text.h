// Private to model/: text of a file that anybody may have made, as part of a Python script. What
// comes out is never anything but a comment, or one literal.
#pragma once

#include <string>
#include <string_view>

namespace parity::model {

/// As a Python literal that gives the same text; bytes that are no UTF-8 as Python's file names
/// have them (surrogateescape).
[[nodiscard]] std::string text_literal(std::string_view text);

/// For the rest of one line behind "#": control characters, and bytes that are no UTF-8, are
/// spelled out.
[[nodiscard]] std::string comment_text(std::string_view text);

}  // namespace parity::model

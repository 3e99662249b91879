// Text for terminals: measured in columns rather than bytes, free of anything that a terminal would
// obey. Knows nothing of reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parity::report {

/// The text with control characters, direction overrides and bytes that are no UTF-8 replaced by
/// U+FFFD: names come out of model files, which nobody vouches for.
[[nodiscard]] std::string clean(std::string_view text);

/// Terminal columns of clean text: 2 for wide characters, 0 for combining ones.
[[nodiscard]] int display_width(std::string_view text);

/// At most `width` columns; what is cut is marked by an ellipsis.
[[nodiscard]] std::string keep_head(std::string_view text, int width);
[[nodiscard]] std::string keep_tail(std::string_view text, int width);
/// As keep_tail, but of `path/op` both parts keep their tails: "blocks.1.attn/…_attention" still
/// names the block.
[[nodiscard]] std::string keep_tails(std::string_view text, int width);

/// Filled up with spaces to `width` columns; longer text is left as it is.
[[nodiscard]] std::string pad_left(std::string_view text, int width);
[[nodiscard]] std::string pad_right(std::string_view text, int width);

/// Clean lines of at most `width` columns, broken at spaces. A word that is longer than a line is
/// cut into pieces. The first line starts with `first`, the others with as many spaces.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::string_view first,
                                            int width);

/// A shell command broken only where a backslash may stand; words longer than `width` stay whole,
/// so that it can be pasted.
[[nodiscard]] std::vector<std::string> wrap_command(std::string_view command,
                                                    std::string_view first, int width);

}  // namespace parity::report

// A web page with gaps: {{name}} stands for what is put in. Escapes nothing: what is put in is
// markup already.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace parity::report {

/// `page` with every gap filled, in one pass: what is put in is not looked at again. Every name in
/// the page must be among `values` (checked: std::out_of_range).
[[nodiscard]] std::string filled_page(std::string_view page,
                                      const std::map<std::string_view, std::string>& values);

}  // namespace parity::report

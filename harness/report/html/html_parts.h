// The parts of the HTML report that stand in files of their own in report/html/ and are embedded
// when the program is built.
#pragma once

#include <string_view>

namespace parity::report {

struct PageParts {
  std::string_view page;  ///< with {{names}} where the rest goes
  std::string_view style;
  std::string_view script;
  std::string_view style_hash;   ///< "sha256-...", as a Content-Security-Policy names it
  std::string_view script_hash;  ///< likewise
};

[[nodiscard]] PageParts html_parts();

}  // namespace parity::report

#include "report/html/page_template.h"

namespace parity::report {

std::string filled_page(std::string_view page,
                        const std::map<std::string_view, std::string>& values) {
  std::string result;
  while (true) {
    const std::size_t start = page.find("{{");
    const std::size_t end = page.find("}}", start);
    if (start == std::string_view::npos || end == std::string_view::npos) break;
    result += page.substr(0, start);
    result += values.at(page.substr(start + 2, end - start - 2));
    page.remove_prefix(end + 2);
  }
  return result.append(page);
}

}  // namespace parity::report

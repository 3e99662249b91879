// What cases and taps are called in the HTML report: clean, not endless, and each once, so that a
// link leads to one of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/data/report.h"

namespace parity::report {

/// Places in `Report::cases` and in its taps.
struct TapPlace {
  std::size_t item = 0;
  std::size_t tap = 0;
};

class PageNames {
 public:
  explicit PageNames(const Report& report);

  [[nodiscard]] const std::string& of_case(std::size_t item) const { return cases_.at(item); }
  [[nodiscard]] const std::string& of_tap(TapPlace place) const {
    return taps_.at(place.item).at(place.tap);
  }
  /// "#case/tap"
  [[nodiscard]] std::string link(TapPlace place) const;
  /// "#case/"
  [[nodiscard]] std::string link(std::size_t item) const;

 private:
  std::vector<std::string> cases_;
  std::vector<std::vector<std::string>> taps_;
};

/// The first tap of that name in the first case of that name.
[[nodiscard]] std::optional<TapPlace> find_tap(const Report& report, const Place& place);

}  // namespace parity::report

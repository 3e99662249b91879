#include "report/html/html_names.h"

#include "report/ci/markup.h"
#include "report/terminal/tap_rows.h"
#include "report/words/text.h"
#include "report/words/unique_names.h"

namespace parity::report {
namespace {

constexpr int kLongest = 240;

/// What would show as nothing could not be clicked.
std::string visible(const std::string& name) {
  return name.find_first_not_of(' ') == std::string::npos ? "(blank)" : name;
}

}  // namespace

PageNames::PageNames(const Report& report) {
  UniqueNames unique_cases;
  for (const Case& item : report.cases) {
    cases_.push_back(unique_cases.of(visible(keep_head(clean(item.name), kLongest))));
    UniqueNames unique_taps;
    std::vector<std::string> names;
    for (const Tap& tap : item.taps)
      names.push_back(unique_taps.of(visible(keep_tails(tap_name(tap.id), kLongest))));
    taps_.push_back(std::move(names));
  }
}

std::string PageNames::link(TapPlace place) const {
  return link(place.item) + percent_encoded(of_tap(place));
}

std::string PageNames::link(std::size_t item) const {
  return "#" + percent_encoded(of_case(item)) + "/";
}

std::optional<TapPlace> find_tap(const Report& report, const Place& place) {
  for (std::size_t item = 0; item < report.cases.size(); ++item) {
    if (report.cases[item].name != place.case_name) continue;
    const std::vector<Tap>& taps = report.cases[item].taps;
    for (std::size_t tap = 0; tap < taps.size(); ++tap) {
      if (taps[tap].id == place.tap) return TapPlace{item, tap};
    }
  }
  return std::nullopt;
}

}  // namespace parity::report

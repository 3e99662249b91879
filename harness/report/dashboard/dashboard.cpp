#include "report/dashboard/dashboard.h"

#include <map>
#include <string_view>

#include "report/ci/markup.h"
#include "report/dashboard/dashboard_data.h"
#include "report/dashboard/dashboard_parts.h"
#include "report/html/page_template.h"
#include "report/terminal/history_text.h"
#include "report/words/text.h"
#include "report/words/unique_names.h"

namespace parity::report {
namespace {

std::string filled(const std::map<std::string_view, std::string>& values) {
  const PageParts parts = dashboard_parts();
  std::map<std::string_view, std::string> all = values;
  all["style"] = parts.style;
  all["script"] = parts.script;
  all["style_hash"] = parts.style_hash;
  all["script_hash"] = parts.script_hash;
  return filled_page(parts.page, all);
}

/// Letters that every file system and every address takes; others become "-".
std::string file_name(const std::string& series) {
  std::string name = "series-";
  constexpr std::size_t kLongest = 80;
  for (const char c : series.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '.';
    name += plain ? c : '-';
  }
  return name;
}

/// File systems may take upper and lower case for the same.
std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string series_lead(const history::Timeline& timeline) {
  const std::string late = late_text(timeline);
  const std::string& sentence = timeline.changes.back().sentence;
  return late.empty() ? sentence : late + "; before that " + sentence;
}

std::string overview_lead(const std::vector<DashboardSeries>& all) {
  std::string regressed;
  std::string late;
  for (const DashboardSeries& series : all) {
    if (series.timeline->changes.back().regression == history::Regression::regressed)
      regressed += (regressed.empty() ? "" : ", ") + series.name;
    if (!late_text(*series.timeline).empty()) late += (late.empty() ? "" : ", ") + series.name;
  }
  std::string lead = regressed.empty() ? "No series regressed in its newest night."
                                       : "Regressed in the newest night: " + regressed + ".";
  return late.empty() ? lead : lead + " Nights are missing since: " + late + ".";
}

std::vector<DashboardSeries> named(const std::vector<history::Timeline>& timelines) {
  std::vector<DashboardSeries> all;
  UniqueNames names;
  std::map<std::string, int> files;
  for (const history::Timeline& timeline : timelines) {
    std::string file = file_name(timeline.series.name);
    const int before = files[lower(file)]++;
    if (before > 0) file += "~" + std::to_string(before + 1);
    all.push_back({&timeline, names.of(clean(timeline.series.name)), file + ".html"});
  }
  return all;
}

}  // namespace

std::vector<DashboardPage> dashboard(const std::vector<history::Timeline>& timelines) {
  std::vector<DashboardPage> pages;
  const std::vector<DashboardSeries> all = named(timelines);
  for (const DashboardSeries& series : all) {
    const history::Timeline& timeline = *series.timeline;
    pages.push_back({series.file, filled({{"title", html_escaped("parity nights: " + series.name)},
                                          {"headline", html_escaped(series.name)},
                                          {"lead", html_escaped(series_lead(timeline))},
                                          {"data", series_data(series)}})});
  }
  pages.push_back({"index.html", filled({{"title", "parity nights"},
                                         {"headline", "Nights"},
                                         {"lead", html_escaped(overview_lead(all))},
                                         {"data", overview_data(all)}})});
  return pages;
}

}  // namespace parity::report

#include "report/html/html_data.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/html/html_tap.h"
#include "report/terminal/ink.h"
#include "report/words/case_figures.h"
#include "report/words/text.h"
#include "report/words/worst_taps.h"

namespace parity::report {
namespace {

/// Rule and dtype, which say together by which bounds a tap was judged.
using BoundsKey = std::pair<std::string, std::string>;

std::map<BoundsKey, std::size_t> bounds_places(const Report& report) {
  std::map<BoundsKey, std::size_t> places;
  for (const BoundText& bound : report.policy_bounds)
    places.emplace(BoundsKey{bound.rule, bound.scope}, places.size());
  return places;
}

Json bounds(const Report& report, const std::map<BoundsKey, std::size_t>& places) {
  Json groups = Json::array();
  for (std::size_t i = 0; i < places.size(); ++i) groups.push_back(nullptr);
  for (const auto& [key, place] : places) {
    groups[place] = {
        {"rule", clean(key.first)}, {"scope", clean(key.second)}, {"bounds", Json::array()}};
  }
  for (const BoundText& bound : report.policy_bounds) {
    groups[places.at({bound.rule, bound.scope})]["bounds"].push_back(
        {clean(bound.metric), html_number(bound.warn), html_number(bound.fail),
         clean(bound.origin)});
  }
  return groups;
}

std::string_view tone_name(run::Verdict verdict) {
  switch (tone_of(verdict)) {
    case Tone::bad:
      return "bad";
    case Tone::warning:
      return "warning";
    default:
      return "good";
  }
}

/// Every verdict that occurs, in the order of the ladder.
std::vector<run::Verdict> verdicts_of(const Report& report) {
  std::set<run::Verdict> seen;
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) seen.insert(tap.verdict);
  }
  return {seen.begin(), seen.end()};
}

double roundoff_of(const std::string& name) {
  const auto dtype = tensor::dtype_from_name(name);
  return dtype ? tensor::unit_roundoff(*dtype) : 0;
}

/// Of one rounding to the dtypes that taps are judged by or have.
Json roundoffs(const Report& report) {
  Json object = Json::object();
  const auto add = [&](const std::string& dtype) {
    if (roundoff_of(dtype) > 0) object[clean(dtype)] = html_number(roundoff_of(dtype));
  };
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      add(tap.dtype);
      add(tap.bounds_dtype);
    }
  }
  return object;
}

/// Lower edges of the bins of all histograms: those of the longest.
Json edges(const Report& report) {
  std::vector<double> ulp;
  std::vector<double> relative;
  const auto take = [](std::vector<double>& longest, const std::vector<double>& edges) {
    if (edges.size() > longest.size()) longest = edges;
  };
  const auto add = [&](const std::optional<compare::TensorComparison>& facts) {
    if (!facts) return;
    take(ulp, facts->ulp.histogram.edges);
    take(relative, facts->relative.histogram.edges);
  };
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      add(tap.facts);
      add(tap.introduced);
    }
  }
  Json all = Json::array({Json::array(), Json::array()});
  for (const double edge : ulp) all[0].push_back(html_number(edge));
  for (const double edge : relative) all[1].push_back(html_number(edge));
  return all;
}

Json place_json(const std::optional<TapPlace>& place) {
  return place ? Json::array({place->item, place->tap}) : Json(nullptr);
}

std::optional<TapPlace> place_of(const Report& report, const WorstTap& worst) {
  for (std::size_t item = 0; item < report.cases.size(); ++item) {
    if (&report.cases[item] != worst.item) continue;
    return TapPlace{item, static_cast<std::size_t>(worst.tap - worst.item->taps.data())};
  }
  return std::nullopt;
}

void add_places(Json& root, const Report& report) {
  root["first"] = Json(nullptr);
  if (report.first_divergence)
    root["first"] = place_json(find_tap(report, *report.first_divergence));
  root["blame"] = Json::array();
  if (report.attribution) {
    for (const Blame& blame : report.attribution->blame) {
      const auto place = find_tap(report, {blame.case_name, blame.tap});
      if (place)
        root["blame"].push_back({place->item, place->tap, html_number(blame.explained_nrmse)});
    }
  }
  const std::vector<WorstTap> worst = worst_taps(report, 1);
  root["worst"] = worst.empty() ? Json(nullptr) : place_json(place_of(report, worst.front()));
}

}  // namespace

std::string html_data(const Report& report, const PageNames& names) {
  const std::vector<run::Verdict> verdicts = verdicts_of(report);
  const std::map<BoundsKey, std::size_t> places = bounds_places(report);
  Json root = {{"figures", html_figure_names()},    {"edges", edges(report)},
               {"roundoff", roundoffs(report)},     {"bounds", bounds(report, places)},
               {"verdicts", Json::array()},         {"attributed", report.attribution.has_value()},
               {"truth", report.truth.has_value()}, {"noise", report.noise.has_value()}};
  for (const run::Verdict verdict : verdicts)
    root["verdicts"].push_back({run::name(verdict), tone_name(verdict)});
  add_places(root, report);
  root["cases"] = Json::array();
  for (std::size_t item = 0; item < report.cases.size(); ++item) {
    Json taps = Json::array();
    for (std::size_t i = 0; i < report.cases[item].taps.size(); ++i) {
      const Tap& tap = report.cases[item].taps[i];
      Json object = {
          {"n", names.of_tap({item, i})},
          {"v", std::find(verdicts.begin(), verdicts.end(), tap.verdict) - verdicts.begin()}};
      object.update(html_tap(tap));
      const auto judged = places.find({tap.rule, tap.bounds_dtype});
      if (judged != places.end()) object["g"] = judged->second;
      taps.push_back(std::move(object));
    }
    root["cases"].push_back({{"name", names.of_case(item)}, {"taps", std::move(taps)}});
  }
  std::string text = root.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Inside of a string alone, where JSON takes the escape; with it no element can end or begin.
  std::string safe;
  for (const char c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

}  // namespace parity::report

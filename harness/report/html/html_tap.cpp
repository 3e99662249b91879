#include "report/html/html_tap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "report/html/html_where.h"
#include "report/json/json_tap.h"
#include "report/words/case_figures.h"
#include "report/words/numbers.h"
#include "report/words/text.h"

namespace parity::report {
namespace {

using Facts = compare::TensorComparison;

/// Of a tap that passes; of others all that the report has.
constexpr std::size_t kWorstOfPassing = 3;
constexpr int kLongestReason = 600;

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

/// So near to 1 that what is missing is what is to be read.
Json near_one(double value) {
  constexpr int kDigits = 12;
  return std::isfinite(value) ? Json(rounded(value, kDigits)) : json_number(value);
}

Json count(std::uint64_t value) { return html_number(static_cast<double>(value)); }

struct Figure {
  std::string_view name;
  Json (*value)(const Facts&);
};

constexpr auto kFigures = std::to_array<Figure>({
    {"nrmse", [](const Facts& f) { return html_number(f.nrmse); }},
    {"max_error_over_rms", [](const Facts& f) { return html_number(f.max_error_over_rms); }},
    {"exact_share", [](const Facts& f) { return near_one(f.exact_share); }},
    {"ulp.max", [](const Facts& f) { return count(f.ulp.max); }},
    {"ulp.p50", [](const Facts& f) { return html_number(f.ulp.quantiles.p50); }},
    {"ulp.p90", [](const Facts& f) { return html_number(f.ulp.quantiles.p90); }},
    {"ulp.p99", [](const Facts& f) { return html_number(f.ulp.quantiles.p99); }},
    {"ulp.p999", [](const Facts& f) { return html_number(f.ulp.quantiles.p999); }},
    {"relative.max", [](const Facts& f) { return html_number(f.relative.max); }},
    {"relative.p50", [](const Facts& f) { return html_number(f.relative.quantiles.p50); }},
    {"relative.p90", [](const Facts& f) { return html_number(f.relative.quantiles.p90); }},
    {"relative.p99", [](const Facts& f) { return html_number(f.relative.quantiles.p99); }},
    {"relative.p999", [](const Facts& f) { return html_number(f.relative.quantiles.p999); }},
    {"absolute.max", [](const Facts& f) { return html_number(f.absolute.max); }},
    {"absolute.mean_signed", [](const Facts& f) { return html_number(f.absolute.mean_signed); }},
    {"cosine", [](const Facts& f) { return near_one(f.cosine); }},
    {"reference_rms", [](const Facts& f) { return html_number(f.reference_rms); }},
    {"where.outside", [](const Facts& f) { return Json(f.where.outside); }},
    {"where.share", [](const Facts& f) { return html_number(f.where.share); }},
});

/// First bin and the counts from there to the last that is not zero.
Json histogram(const compare::Histogram& histogram) {
  const auto is_used = [](std::uint64_t count) { return count != 0; };
  const auto& counts = histogram.counts;
  const auto first = std::find_if(counts.begin(), counts.end(), is_used);
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_used).base();
  Json array = Json::array({first - counts.begin()});
  for (auto bin = first; bin < last; ++bin) array.push_back(*bin);
  return array;
}

/// Those that there are.
Json classes(const compare::ClassCounts& counts) {
  const Json all = classes_json(counts);
  Json object = Json::object();
  for (const auto& [name, value] : all.items()) {
    if (value != 0) object[name] = value;
  }
  return object;
}

void add_facts(Json& object, const Facts& facts) {
  Json figures = Json::array();
  for (const Figure& figure : kFigures) figures.push_back(figure.value(facts));
  object["f"] = std::move(figures);
  const int approximate =
      (facts.ulp.quantiles.approximate ? 1 : 0) + (facts.relative.quantiles.approximate ? 2 : 0);
  if (approximate != 0) object["q"] = approximate;
  object["h"] = {histogram(facts.ulp.histogram), histogram(facts.relative.histogram)};
  object["c"] = classes(facts.classes);
  if (facts.where.outside != 0) object["w"] = html_where_text(facts);
  for (const compare::Hint& hint : facts.hints)
    object["p"].push_back({clean(hint.pattern), clean(hint.evidence)});
}

Json worst(const Facts& facts, std::size_t most) {
  Json array = Json::array();
  for (std::size_t i = 0; i < std::min(most, facts.worst.size()); ++i) {
    const compare::Element& element = facts.worst[i];
    array.push_back({index_text(element.index),
                     element_value(element.reference, facts.reference_dtype),
                     element_value(element.candidate, facts.candidate_dtype),
                     bit_pattern(element.reference_bits, facts.reference_dtype),
                     bit_pattern(element.candidate_bits, facts.candidate_dtype)});
  }
  return array;
}

Json truth(const TapTruth& truth) {
  return {clean(truth.dtype),
          html_number(truth.reference_nrmse),
          html_number(truth.candidate_nrmse),
          html_number(truth.ratio),
          html_number(truth.reference_max_error_over_rms),
          html_number(truth.candidate_max_error_over_rms),
          truth.reference_introduced_nrmse ? html_number(*truth.reference_introduced_nrmse)
                                           : Json(nullptr)};
}

Json noise(const run::TapNoise& noise) {
  Json figures = Json::object();
  for (const run::NoiseFigure& figure : noise.figures)
    figures[clean(figure.metric)] = html_number(figure.value);
  return {noise.repeats, noise.differing, std::move(figures)};
}

}  // namespace

std::vector<std::string_view> html_figure_names() {
  std::vector<std::string_view> names;
  for (const Figure& figure : kFigures) names.push_back(figure.name);
  return names;
}

Json html_number(double value) {
  constexpr int kDigits = 5;
  return std::isfinite(value) ? Json(rounded(value, kDigits)) : json_number(value);
}

Json html_tap(const Tap& tap) {
  Json object = {{"d", clean(tap.dtype)}, {"s", tensor::to_string(tap.shape)}, {"e", tap.elements}};
  if (!tap.candidate_dtype.empty() && tap.candidate_dtype != tap.dtype)
    object["d2"] = clean(tap.candidate_dtype);
  if (tap.shapes) object["s2"] = tensor::to_string(tap.shapes->candidate);
  if (tap.outcome != Outcome::compared) object["o"] = name(tap.outcome);
  for (const std::string& reason : tap.reasons)
    object["r"].push_back(keep_head(clean(reason), kLongestReason));
  if (tap.facts) {
    add_facts(object, *tap.facts);
    const std::size_t most = is_fine(tap.verdict) ? kWorstOfPassing : tap.facts->worst.size();
    if (!tap.facts->worst.empty()) object["x"] = worst(*tap.facts, most);
  }
  if (tap.introduced) add_facts(object["i"], *tap.introduced);
  if (tap.truth) object["t"] = truth(*tap.truth);
  if (tap.noise) object["z"] = noise(*tap.noise);
  return object;
}

}  // namespace parity::report

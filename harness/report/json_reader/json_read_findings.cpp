#include "report/json_reader/json_read_findings.h"

#include "report/json_reader/json_read_tap.h"

namespace parity::report {
namespace {

OwnError read_own_error(const JsonNode& node) {
  OwnError error;
  error.not_judged = node.at("reason").text();
  const bool judged = node.at("judged").flag();
  node.require(judged == error.not_judged.empty(), "has a reason that does not go with judged");
  if (!judged) return error;
  error.nrmse = node.at("nrmse").number();
  error.explained = node.at("explained").number();
  return error;
}

std::optional<std::size_t> read_culprit(const JsonNode& node,
                                        const std::vector<OperatorLine>& operators) {
  if (node.is_null()) return std::nullopt;
  const std::uint64_t index = node.at("index").count();
  node.require(index < operators.size() &&
                   operators[static_cast<std::size_t>(index)].name == node.at("op").text() &&
                   operators[static_cast<std::size_t>(index)].source == node.at("source").text(),
               "is none of the operators");
  return static_cast<std::size_t>(index);
}

Place read_place_itself(const JsonNode& node) { return {node.at("case").text(), read_id(node)}; }

Blame read_blame(const JsonNode& node) {
  Blame blame;
  Place place = read_place_itself(node);
  blame.case_name = std::move(place.case_name);
  blame.tap = std::move(place.tap);
  blame.introduced_nrmse = node.at("introduced_nrmse").number();
  blame.max_error_over_rms = node.at("max_error_over_rms").number();
  blame.explained_nrmse = node.at("explained_nrmse").number();
  blame.explained_max_error_over_rms = node.at("explained_max_error_over_rms").number();
  blame.share = node.at("share").number();
  for (const JsonNode& item : node.at("operators").items()) {
    blame.operators.push_back(
        {item.at("op").text(), item.at("source").text(), read_own_error(item.at("own_error"))});
  }
  blame.culprit = read_culprit(node.at("culprit"), blame.operators);
  blame.operators_sentence = node.at("operators_finding").text();
  return blame;
}

}  // namespace

std::optional<Place> read_place(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  return read_place_itself(node);
}

std::vector<BoundText> read_bounds(const JsonNode& node) {
  std::vector<BoundText> bounds;
  for (const JsonNode& item : node.items()) {
    bounds.push_back({item.at("scope").text(), item.at("metric").text(), item.at("warn").number(),
                      item.at("fail").number(), item.at("origin").text(),
                      item.at("rule").text_or_null(),
                      item.has("optional") && item.at("optional").flag() ? Needed::where_measured
                                                                         : Needed::always});
  }
  return bounds;
}

std::optional<Attribution> read_attribution(const JsonNode& root) {
  const JsonNode node = root.at("attribution");
  const std::vector<JsonNode> blame = root.at("blame").items();
  if (node.is_null()) {
    root.at("blame").require(blame.empty(), "is there without an attribution");
    return std::nullopt;
  }
  Attribution attribution;
  attribution.finding = node.at("finding").text();
  node.at("finding").require(attribution.finding == "none" || attribution.finding == "culprit" ||
                                 attribution.finding == "no_single_culprit",
                             "is no finding");
  attribution.sentence = node.at("sentence").text();
  for (const JsonNode& item : blame) attribution.blame.push_back(read_blame(item));
  for (const JsonNode& item : node.at("sources").items()) {
    attribution.sources.push_back({item.at("layers").text(), item.at("taps").count(),
                                   item.at("nrmse").number(), item.at("share").number()});
  }
  return attribution;
}

std::optional<TruthSummary> read_truth_summary(const JsonNode& root) {
  const JsonNode node = root.at("truth_summary");
  if (node.is_null()) return std::nullopt;
  const std::string worse = node.at("worse").text();
  node.at("worse").require(worse == "neither" || worse == "reference" || worse == "candidate",
                           "is no side");
  return TruthSummary{node.at("dtype").text(),
                      node.at("file").text(),
                      worse,
                      node.at("taps").count(),
                      node.at("reference_worse").count(),
                      node.at("candidate_worse").count(),
                      node.at("sentence").text()};
}

std::optional<NoiseSummary> read_noise_summary(const JsonNode& root) {
  const JsonNode node = root.at("noise_summary");
  if (node.is_null()) return std::nullopt;
  NoiseSummary summary{node.at("repeats").whole(), node.at("taps").count(),
                       node.at("differing").count(), read_place(node.at("first")),
                       node.at("sentence").text()};
  node.require(summary.differing <= summary.taps, "has more taps that differ than taps");
  return summary;
}

std::optional<NameMapping> read_name_mapping(const JsonNode& root) {
  if (!root.has("name_map") || root.at("name_map").is_null()) return std::nullopt;
  const JsonNode node = root.at("name_map");
  NameMapping mapping;
  mapping.file = node.at("file").text();
  mapping.mapped = node.at("mapped").count();
  mapping.reshaped = node.at("reshaped").count();
  for (const JsonNode& rule : node.at("rules").items()) {
    constexpr std::int64_t kMostLines = 1'000'000'000;
    const std::int64_t line = rule.at("line").whole(1);
    rule.require(line <= kMostLines, "has a line that no file has");
    mapping.rules.push_back({static_cast<int>(line), rule.at("kind").text(),
                             rule.at("pattern").text(), rule.at("names").texts(),
                             rule.at("taps").count()});
  }
  for (const JsonNode& name : node.at("unmatched").items()) {
    mapping.unmatched.push_back(
        {name.at("case").text(), name.at("candidate").text(), name.at("golden").text_or_null()});
  }
  for (const JsonNode& collision : node.at("collisions").items()) {
    mapping.collisions.push_back({collision.at("case").text(), collision.at("golden").text(),
                                  collision.at("candidates").texts()});
  }
  return mapping;
}

}  // namespace parity::report

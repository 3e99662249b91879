#include "report/json/json_tap.h"

#include "report/words/numbers.h"

namespace parity::report {
namespace {

Json numbers(const std::vector<double>& values) {
  Json array = Json::array();
  for (const double value : values) array.push_back(json_number(value));
  return array;
}

Json histogram(const compare::Histogram& histogram) {
  return {{"edges", numbers(histogram.edges)}, {"counts", histogram.counts}};
}

void add_quantiles(Json& object, const compare::Quantiles& quantiles) {
  object["p50"] = json_number(quantiles.p50);
  object["p90"] = json_number(quantiles.p90);
  object["p99"] = json_number(quantiles.p99);
  object["p999"] = json_number(quantiles.p999);
  object["approximate"] = quantiles.approximate;
}

Json ulp(const compare::UlpDistribution& ulp) {
  Json object = {{"dtype", tensor::name(ulp.dtype)}, {"max", ulp.max}};
  add_quantiles(object, ulp.quantiles);
  object["histogram"] = histogram(ulp.histogram);
  return object;
}

Json relative(const compare::RelativeDistribution& relative) {
  Json object = {{"max", json_number(relative.max)}};
  add_quantiles(object, relative.quantiles);
  object["histogram"] = histogram(relative.histogram);
  return object;
}

Json where(const compare::Where& where) {
  Json axes = Json::array();
  for (const compare::AxisRange& range : where.axes) {
    axes.push_back({{"axis", range.axis},
                    {"first", range.first},
                    {"last", range.last},
                    {"size", range.size},
                    {"share", json_number(range.share)}});
  }
  return {{"outside", where.outside},
          {"first", where.first},
          {"share", json_number(where.share)},
          {"axes", std::move(axes)}};
}

Json hints(const std::vector<compare::Hint>& hints) {
  Json array = Json::array();
  for (const compare::Hint& hint : hints) {
    array.push_back({{"pattern", hint.pattern}, {"evidence", hint.evidence}});
  }
  return array;
}

/// Bit patterns are text: 64 bits do not survive a reader that keeps numbers as doubles.
Json worst(const compare::TensorComparison& facts) {
  Json array = Json::array();
  for (const compare::Element& element : facts.worst) {
    array.push_back(
        {{"index", element.index},
         {"reference", json_number(element.reference)},
         {"candidate", json_number(element.candidate)},
         {"reference_bits", bit_pattern(element.reference_bits, facts.reference_dtype)},
         {"candidate_bits", bit_pattern(element.candidate_bits, facts.candidate_dtype)}});
  }
  return array;
}

Json absolute(const compare::AbsoluteError& absolute) {
  return {{"max", json_number(absolute.max)}, {"mean_signed", json_number(absolute.mean_signed)}};
}

Json introduced(const compare::TensorComparison& facts) {
  return {{"nrmse", json_number(facts.nrmse)},
          {"max_error_over_rms", json_number(facts.max_error_over_rms)},
          {"exact_share", json_number(facts.exact_share)},
          {"classes", classes_json(facts.classes)},
          {"ulp", ulp(facts.ulp)},
          {"relative", relative(facts.relative)},
          {"where", where(facts.where)},
          {"hints", hints(facts.hints)},
          {"candidate_dtype", tensor::name(facts.candidate_dtype)},
          {"compared", facts.elements},
          {"absolute", absolute(facts.absolute)},
          {"cosine", json_number(facts.cosine)},
          {"reference_rms", json_number(facts.reference_rms)},
          {"reference_constant", facts.reference_constant},
          {"reference_all_nan", facts.reference_all_nan}};
}

Json truth(const TapTruth& truth) {
  return {{"dtype", truth.dtype},
          {"reference_nrmse", json_number(truth.reference_nrmse)},
          {"candidate_nrmse", json_number(truth.candidate_nrmse)},
          {"ratio", json_number(truth.ratio)},
          {"reference_max_error_over_rms", json_number(truth.reference_max_error_over_rms)},
          {"candidate_max_error_over_rms", json_number(truth.candidate_max_error_over_rms)},
          {"reference_introduced_nrmse", truth.reference_introduced_nrmse
                                             ? json_number(*truth.reference_introduced_nrmse)
                                             : Json(nullptr)},
          {"reference_one_sided", truth.reference_one_sided},
          {"candidate_one_sided", truth.candidate_one_sided}};
}

Json noise(const run::TapNoise& noise) {
  Json figures = Json::object();
  for (const run::NoiseFigure& figure : noise.figures)
    figures[figure.metric] = json_number(figure.value);
  return {
      {"repeats", noise.repeats}, {"differing", noise.differing}, {"figures", std::move(figures)}};
}

void add_facts(Json& object, const compare::TensorComparison& facts) {
  object["classes"] = classes_json(facts.classes);
  object["where"] = where(facts.where);
  object["hints"] = hints(facts.hints);
  object["ulp"] = ulp(facts.ulp);
  object["relative"] = relative(facts.relative);
  object["absolute"] = absolute(facts.absolute);
  object["nrmse"] = json_number(facts.nrmse);
  object["cosine"] = json_number(facts.cosine);
  object["exact_share"] = json_number(facts.exact_share);
  object["max_error_over_rms"] = json_number(facts.max_error_over_rms);
  object["reference_rms"] = json_number(facts.reference_rms);
  object["reference_constant"] = facts.reference_constant;
  object["reference_all_nan"] = facts.reference_all_nan;
  object["worst"] = worst(facts);
  object["compared"] = facts.elements;
}

/// The same keys where nothing could be measured, so that a reader needs no test for their
/// presence.
void add_no_facts(Json& object) {
  for (const char* key : {"classes", "where", "hints", "ulp", "relative", "absolute", "nrmse",
                          "cosine", "exact_share", "max_error_over_rms", "reference_rms",
                          "reference_constant", "reference_all_nan", "worst", "compared"}) {
    object[key] = nullptr;
  }
}

Json truth(const LogitsTruth& truth) {
  return {{"reference_kl", row_figure_json(truth.reference_kl)},
          {"candidate_kl", row_figure_json(truth.candidate_kl)},
          {"flips", truth.flips.flips},
          {"flips_for_candidate", truth.flips.candidate},
          {"flips_for_reference", truth.flips.reference},
          {"decided_flips", truth.flips.decided},
          {"decided_flips_not_for_candidate", truth.flips.decided_elsewhere},
          {"reference_non_finite_rows", truth.reference_non_finite_rows},
          {"candidate_non_finite_rows", truth.candidate_non_finite_rows}};
}

Json unseen_rows(UnseenRows rows) {
  if (rows == UnseenRows::none) return nullptr;
  return rows == UnseenRows::equal ? "equal" : "differ";
}

std::string_view name(run::Role role) {
  return role == run::Role::logits ? "logits" : "activation";
}

}  // namespace

Json classes_json(const compare::ClassCounts& counts) {
  return {{"equal_bits", counts.equal_bits},
          {"finite", counts.finite},
          {"both_nan", counts.both_nan},
          {"nan_reference_only", counts.nan_reference_only},
          {"nan_candidate_only", counts.nan_candidate_only},
          {"inf_equal", counts.inf_equal},
          {"inf_opposite", counts.inf_opposite},
          {"inf_reference_only", counts.inf_reference_only},
          {"inf_candidate_only", counts.inf_candidate_only},
          {"zero_reference", counts.zero_reference},
          {"zero_sign", counts.zero_sign},
          {"flushed_to_zero", counts.flushed_to_zero}};
}

void add_id(Json& object, const run::TapId& id) {
  object["tap"] = run::to_string(id);
  object["kind"] = run::name(id.kind);
  object["path"] = id.path;
  object["op"] = id.op;
  object["call"] = id.call;
  object["port"] = id.port;
}

Json left_out_json(const LeftOutTap& tap) {
  Json object = Json::object();
  add_id(object, tap.id);
  object["dtype"] = tap.dtype;
  object["inherited_dtype"] = text_or_null(tap.inherited_dtype);
  object["role"] = name(tap.role);
  if (tap.shape) object["shape"] = *tap.shape;
  return object;
}

Json topk_overlap_json(const compare::LogitsComparison& facts) {
  Json overlap = Json::object();
  for (const auto& [k, share] : facts.topk_overlap) overlap[std::to_string(k)] = json_number(share);
  return overlap;
}

Json logits_truth_json(const std::optional<LogitsTruth>& found) {
  return found ? truth(*found) : Json(nullptr);
}

Json row_figure_json(const compare::RowFigure& figure) {
  return {{"mean", json_number(figure.mean)},
          {"p99", json_number(figure.p99)},
          {"max", json_number(figure.max)}};
}

Json tap_json(const Tap& tap) {
  Json object = Json::object();
  add_id(object, tap.id);
  object["dtype"] = tap.dtype;
  object["candidate_dtype"] = tap.candidate_dtype.empty() ? tap.dtype : tap.candidate_dtype;
  object["shape"] = tap.shape;
  object["elements"] = tap.elements;
  object["outcome"] = name(tap.outcome);
  object["verdict"] = run::name(tap.verdict);
  object["reasons"] = tap.reasons;
  object["shapes"] = nullptr;
  if (tap.shapes) {
    object["shapes"] = {{"reference", tap.shapes->reference}, {"candidate", tap.shapes->candidate}};
  }
  if (tap.facts) {
    add_facts(object, *tap.facts);
  } else {
    add_no_facts(object);
  }
  object["introduced"] = tap.introduced ? introduced(*tap.introduced) : Json(nullptr);
  object["truth"] = tap.truth ? truth(*tap.truth) : Json(nullptr);
  object["noise"] = tap.noise ? noise(*tap.noise) : Json(nullptr);
  object["rule"] = rule_json(tap.rule);
  object["bounds_dtype"] = text_or_null(tap.bounds_dtype);
  object["inherited_dtype"] = text_or_null(tap.inherited_dtype);
  object["role"] = name(tap.role);
  object["rows"] = nullptr;
  if (tap.rows) object["rows"] = {{"compared", tap.rows->compared}, {"of", tap.rows->of}};
  object["unseen_rows"] = unseen_rows(tap.unseen_rows);
  object["not_captured"] = text_or_null(tap.not_captured);
  object["candidate_taps"] = tap.candidate_taps;
  return object;
}

Json logits_json(const Logits& logits) {
  return {{"tap", run::to_string(logits.id)},
          {"verdict", run::name(logits.verdict)},
          {"reasons", logits.reasons},
          {"positions", logits.facts.positions},
          {"top1_agreement", json_number(logits.facts.top1_agreement)},
          {"flips", logits.facts.flips},
          {"decided_flips", logits.facts.decided_flips},
          {"decided_gap", json_number(logits.facts.decided_gap)},
          {"max_flip_gap", json_number(logits.facts.max_flip_gap)},
          {"topk_overlap", topk_overlap_json(logits.facts)},
          {"kl", row_figure_json(logits.facts.kl)},
          {"kl_reverse", row_figure_json(logits.facts.kl_reverse)},
          {"first_divergent", logits.facts.first_divergent},
          {"max_logprob_change", json_number(logits.facts.max_logprob_change)},
          {"non_finite_rows", logits.facts.non_finite_rows},
          {"truth", logits_truth_json(logits.truth)},
          {"rule", rule_json(logits.rule)},
          {"kind", run::name(logits.id.kind)},
          {"path", logits.id.path},
          {"op", logits.id.op},
          {"call", logits.id.call},
          {"port", logits.id.port}};
}

}  // namespace parity::report

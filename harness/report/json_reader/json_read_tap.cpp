#include "report/json_reader/json_read_tap.h"

#include "error/error.h"
#include "report/json_reader/json_read_facts.h"

namespace parity::report {
namespace {

std::optional<run::Role> role_from_name(std::string_view text) {
  if (text == "activation") return run::Role::activation;
  return text == "logits" ? std::optional(run::Role::logits) : std::nullopt;
}

std::uint64_t element_count(const JsonNode& shape, const tensor::Shape& sizes) {
  try {
    return tensor::element_count(sizes);
  } catch (const Error&) {
    shape.refuse("has more than 2^62 elements");
  }
}

TapTruth read_truth(const JsonNode& node) {
  return {node.at("dtype").dtype_name(),
          node.at("reference_nrmse").number(),
          node.at("candidate_nrmse").number(),
          node.at("ratio").number(),
          node.at("reference_max_error_over_rms").number(),
          node.at("candidate_max_error_over_rms").number(),
          node.at("reference_introduced_nrmse").number_or_null(),
          node.at("reference_one_sided").count(),
          node.at("candidate_one_sided").count()};
}

run::TapNoise read_noise(const JsonNode& node) {
  run::TapNoise noise;
  noise.repeats = node.at("repeats").whole();
  noise.differing = node.at("differing").whole();
  node.require(noise.differing <= noise.repeats, "has more repeats that differ than repeats");
  for (const auto& [metric, value] : node.at("figures").entries())
    noise.figures.push_back({metric, value.number()});
  return noise;
}

UnseenRows read_unseen(const JsonNode& node) {
  if (node.is_null()) return UnseenRows::none;
  const std::string text = node.text();
  node.require(text == "equal" || text == "differ", "is neither null nor equal nor differ");
  return text == "equal" ? UnseenRows::equal : UnseenRows::differ;
}

/// A complex number is two.
void require_all_compared(const JsonNode& node, const compare::TensorComparison& facts) {
  const std::uint64_t parts = tensor::is_complex(facts.reference_dtype) ? 2 : 1;
  const std::uint64_t elements = element_count(node, facts.shape);
  node.at("compared")
      .require(facts.elements / parts == elements && facts.elements % parts == 0,
               "is not the number of elements that there are to compare");
}

/// Of the part that was compared: all of it, or rows.
tensor::Shape compared_shape(const Tap& tap) {
  if (!tap.rows) return tap.shape;
  const std::int64_t width = tap.shape.empty() ? 1 : tap.shape.back();
  return {static_cast<std::int64_t>(tap.rows->compared), width};
}

/// Of a tap that was not compared, nothing is stated that only a comparison gives.
void require_no_facts(const JsonNode& node) {
  for (const char* key : {"where", "hints", "ulp", "relative", "absolute", "nrmse", "cosine",
                          "exact_share", "max_error_over_rms", "reference_rms",
                          "reference_constant", "reference_all_nan", "worst", "compared"}) {
    node.at(key).require(node.at(key).is_null(),
                         "is there without classes, of a tap that was not compared");
  }
}

void read_measured(const JsonNode& node, Tap& tap) {
  const tensor::DType reference = node.at("dtype").dtype();
  const tensor::DType candidate = node.at("candidate_dtype").dtype();
  const bool measured = tap.outcome == Outcome::compared || tap.outcome == Outcome::rows_compared;
  node.require(
      measured != node.at("classes").is_null(),
      "has an outcome that does not go with its classes: those of a tap that was compared, "
      "and null for every other");
  if (measured) {
    tap.facts = read_facts(node, reference, candidate, compared_shape(tap));
    require_all_compared(node, *tap.facts);
    tap.facts->worst = read_worst(node.at("worst"));
  } else {
    require_no_facts(node);
  }
  const JsonNode introduced = node.at("introduced");
  if (!introduced.is_null()) {
    tap.introduced =
        read_facts(introduced, reference, introduced.at("candidate_dtype").dtype(), tap.shape);
    require_all_compared(introduced, *tap.introduced);
  }
}

void read_rows(const JsonNode& node, Tap& tap) {
  const JsonNode rows = node.at("rows");
  node.require((tap.outcome == Outcome::rows_compared) != rows.is_null(),
               "has an outcome that does not go with its rows");
  tap.unseen_rows = read_unseen(node.at("unseen_rows"));
  if (rows.is_null()) return;
  tap.rows = RowsCompared{rows.at("compared").count(), rows.at("of").count()};
  rows.require(tap.rows->compared <= tap.rows->of, "has more rows compared than there are");
}

}  // namespace

run::TapId read_id(const JsonNode& node) {
  run::TapId id{node.at("kind").word(run::tap_kind_from_name, "kind of tap"),
                node.at("path").text(), node.at("op").text(), node.at("call").whole(),
                node.at("port").text()};
  node.require(node.at("tap").text() == run::to_string(id),
               "has a name that is not made of its parts");
  return id;
}

Tap read_tap(const JsonNode& node) {
  Tap tap;
  tap.id = read_id(node);
  tap.dtype = node.at("dtype").dtype_name();
  const std::string candidate = node.at("candidate_dtype").dtype_name();
  if (candidate != tap.dtype) tap.candidate_dtype = candidate;
  tap.shape = node.at("shape").wholes();
  tap.elements = node.at("elements").count();
  node.require(tap.elements == element_count(node.at("shape"), tap.shape),
               "has not as many elements as its shape");
  tap.outcome = node.at("outcome").word(outcome_from_name, "outcome");
  tap.verdict = node.at("verdict").word(run::verdict_from_name, "verdict");
  tap.reasons = node.at("reasons").texts();
  const JsonNode shapes = node.at("shapes");
  node.require((tap.outcome == Outcome::shape_differs) != shapes.is_null(),
               "has an outcome that does not go with its shapes");
  if (!shapes.is_null()) {
    tap.shapes =
        compare::ShapeMismatch{shapes.at("reference").wholes(), shapes.at("candidate").wholes()};
  }
  read_rows(node, tap);
  read_measured(node, tap);
  if (const JsonNode truth = node.at("truth"); !truth.is_null()) tap.truth = read_truth(truth);
  if (const JsonNode noise = node.at("noise"); !noise.is_null()) tap.noise = read_noise(noise);
  tap.rule = node.at("rule").text_or_null();
  tap.bounds_dtype = node.at("bounds_dtype").dtype_name_or_null();
  tap.inherited_dtype = node.at("inherited_dtype").dtype_name_or_null();
  tap.role = node.at("role").word(role_from_name, "role");
  tap.not_captured = node.at("not_captured").text_or_null();
  if (node.has("candidate_taps")) tap.candidate_taps = node.at("candidate_taps").texts();
  return tap;
}

LeftOutTap read_left_out(const JsonNode& node) {
  std::optional<tensor::Shape> shape;
  if (node.has("shape")) {
    shape = node.at("shape").wholes();
    (void)element_count(node.at("shape"), *shape);  // refuses more than there can be
  }
  return {read_id(node), node.at("dtype").dtype_name(),
          node.at("inherited_dtype").dtype_name_or_null(),
          node.at("role").word(role_from_name, "role"), shape};
}

}  // namespace parity::report

#include "report/json_reader/json_read_facts.h"

#include <charconv>
#include <system_error>

namespace parity::report {
namespace {

compare::ClassCounts read_classes(const JsonNode& node, std::uint64_t elements) {
  compare::ClassCounts counts;
  counts.equal_bits = node.at("equal_bits").count();
  counts.finite = node.at("finite").count();
  counts.both_nan = node.at("both_nan").count();
  counts.nan_reference_only = node.at("nan_reference_only").count();
  counts.nan_candidate_only = node.at("nan_candidate_only").count();
  counts.inf_equal = node.at("inf_equal").count();
  counts.inf_opposite = node.at("inf_opposite").count();
  counts.inf_reference_only = node.at("inf_reference_only").count();
  counts.inf_candidate_only = node.at("inf_candidate_only").count();
  counts.zero_reference = node.at("zero_reference").count();
  counts.zero_sign = node.at("zero_sign").count();
  counts.flushed_to_zero = node.at("flushed_to_zero").count();
  // One after the other: a sum of all could wrap round to what it should be.
  std::uint64_t left = elements;
  for (const std::uint64_t kind : {counts.finite, counts.both_nan, counts.nan_reference_only,
                                   counts.nan_candidate_only, counts.inf_equal, counts.inf_opposite,
                                   counts.inf_reference_only, counts.inf_candidate_only}) {
    node.require(kind <= left, "add up to more than the elements compared");
    left -= kind;
  }
  node.require(left == 0, "add up to fewer than the elements compared");
  for (const std::uint64_t part :
       {counts.equal_bits, counts.zero_reference, counts.zero_sign, counts.flushed_to_zero}) {
    node.require(part <= elements, "count more than the elements compared");
  }
  return counts;
}

compare::Histogram read_histogram(const JsonNode& node) {
  compare::Histogram histogram{node.at("edges").numbers(), node.at("counts").counts()};
  node.require(histogram.edges.size() == histogram.counts.size(),
               "has not as many counts as edges");
  return histogram;
}

compare::Quantiles read_quantiles(const JsonNode& node) {
  return {node.at("p50").number(), node.at("p90").number(), node.at("p99").number(),
          node.at("p999").number(), node.at("approximate").flag()};
}

compare::UlpDistribution read_ulp(const JsonNode& node) {
  return {node.at("dtype").dtype(), node.at("max").count(), read_quantiles(node),
          read_histogram(node.at("histogram"))};
}

compare::RelativeDistribution read_relative(const JsonNode& node) {
  return {node.at("max").number(), read_quantiles(node), read_histogram(node.at("histogram"))};
}

compare::Where read_where(const JsonNode& node, std::uint64_t elements) {
  compare::Where where;
  where.outside = node.at("outside").count();
  node.require(where.outside <= elements, "has more elements outside than were compared");
  where.first = node.at("first").wholes();
  where.share = node.at("share").number();
  for (const JsonNode& item : node.at("axes").items()) {
    where.axes.push_back({static_cast<std::size_t>(item.at("axis").count()),
                          item.at("first").whole(), item.at("last").whole(),
                          item.at("size").whole(), item.at("share").number()});
  }
  return where;
}

std::vector<compare::Hint> read_hints(const JsonNode& node) {
  std::vector<compare::Hint> hints;
  for (const JsonNode& item : node.items())
    hints.push_back({item.at("pattern").text(), item.at("evidence").text()});
  return hints;
}

std::uint64_t read_bits(const JsonNode& node) {
  const std::string text = node.text();
  constexpr std::size_t kPrefix = 2;
  std::uint64_t bits = 0;
  const char* const begin = text.data() + std::min(kPrefix, text.size());
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, bits, 16);
  node.require(text.rfind("0x", 0) == 0 && result.ec == std::errc{} && result.ptr == end,
               "is no bit pattern such as 0x3f800000");
  return bits;
}

}  // namespace

compare::TensorComparison read_facts(const JsonNode& node, tensor::DType reference,
                                     tensor::DType candidate, const tensor::Shape& shape) {
  compare::TensorComparison facts;
  facts.reference_dtype = reference;
  facts.candidate_dtype = candidate;
  facts.shape = shape;
  facts.elements = node.at("compared").count();
  facts.classes = read_classes(node.at("classes"), facts.elements);
  facts.where = read_where(node.at("where"), facts.elements);
  facts.hints = read_hints(node.at("hints"));
  facts.ulp = read_ulp(node.at("ulp"));
  facts.relative = read_relative(node.at("relative"));
  const JsonNode absolute = node.at("absolute");
  facts.absolute = {absolute.at("max").number(), absolute.at("mean_signed").number()};
  facts.nrmse = node.at("nrmse").number();
  facts.cosine = node.at("cosine").number();
  facts.exact_share = node.at("exact_share").number();
  facts.max_error_over_rms = node.at("max_error_over_rms").number();
  facts.reference_rms = node.at("reference_rms").number();
  facts.reference_constant = node.at("reference_constant").flag();
  facts.reference_all_nan = node.at("reference_all_nan").flag();
  return facts;
}

std::vector<compare::Element> read_worst(const JsonNode& node) {
  std::vector<compare::Element> worst;
  for (const JsonNode& item : node.items()) {
    worst.push_back({item.at("index").wholes(), item.at("reference").number(),
                     item.at("candidate").number(), read_bits(item.at("reference_bits")),
                     read_bits(item.at("candidate_bits"))});
  }
  return worst;
}

}  // namespace parity::report

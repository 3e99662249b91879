// Places in a tensor: elements outside their bound, and the worst ones with values and bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include <fmt/format.h>

#include "compare/formats.h"
#include "pipeline/stored/facts_agreement.h"
#include "report/words/numbers.h"

namespace parity::pipeline {
namespace {

using Index = std::vector<std::int64_t>;

bool is_in(const Index& index, const tensor::Shape& shape) {
  return std::equal(index.begin(), index.end(), shape.begin(), shape.end(),
                    [](std::int64_t at, std::int64_t size) { return at >= 0 && at < size; });
}

Contradiction of_first(const MeasuredFacts& measured) {
  const compare::Where& where = measured.facts.where;
  const bool fits = where.outside == 0 ? where.first.empty() : is_in(where.first, measured.indexed);
  if (fits) return std::nullopt;
  return disagreement("where.first", report::index_text(where.first),
                      fmt::format("where.outside {} in shape", where.outside),
                      tensor::to_string(measured.indexed));
}

Contradiction of_axes(const MeasuredFacts& measured) {
  const compare::Where& where = measured.facts.where;
  if (where.outside == 0 && !where.axes.empty()) {
    return disagreement("where.axes with", static_cast<double>(where.axes.size()), "where.outside",
                        0.0);
  }
  for (const compare::AxisRange& range : where.axes) {
    const bool known = range.axis < measured.indexed.size();
    const bool fits = known && range.size == measured.indexed[range.axis] && range.first >= 0 &&
                      range.first <= range.last && range.last < range.size;
    if (!fits) {
      return disagreement(
          "where.axes",
          fmt::format("{} to {} of {} on axis {}", range.first, range.last, range.size, range.axis),
          "shape", tensor::to_string(measured.indexed));
    }
    if (auto found = outside("where.axes.share", range.share, 0, 1)) return found;
  }
  return std::nullopt;
}

double value_of(std::uint64_t bits, tensor::DType dtype) {
  std::array<std::byte, sizeof(bits)> bytes{};
  std::memcpy(bytes.data(), &bits, sizeof(bits));
  return compare::value_reader(tensor::component(dtype))(bytes.data());
}

/// One element of those with the largest distance.
class Worst {
 public:
  Worst(const compare::Element& element, const MeasuredFacts& measured)
      : element_(element), measured_(measured), facts_(measured.facts) {}

  [[nodiscard]] bool is_finite() const {
    return std::isfinite(element_.reference) && std::isfinite(element_.candidate);
  }
  [[nodiscard]] Contradiction contradiction() const {
    if (!is_in(element_.index, measured_.indexed)) {
      return disagreement("worst.index", report::index_text(element_.index), "shape",
                          tensor::to_string(measured_.indexed));
    }
    if (auto found = of_bits("reference", element_.reference, element_.reference_bits,
                             facts_.reference_dtype)) {
      return found;
    }
    if (auto found = of_bits("candidate", element_.candidate, element_.candidate_bits,
                             facts_.candidate_dtype)) {
      return found;
    }
    return is_finite() ? of_size() : std::nullopt;
  }
  /// As far as values say; of integers beyond 2^53 they do not.
  [[nodiscard]] std::optional<std::uint64_t> ulp() const {
    if (!is_finite() || tensor::is_integral(facts_.ulp.dtype)) return std::nullopt;
    const compare::Ordinal ordinal = compare::ordinal_of(facts_.ulp.dtype);
    const std::uint64_t from = ordinal(std::abs(element_.reference));
    const std::uint64_t to = ordinal(std::abs(element_.candidate));
    if (std::signbit(element_.reference) == std::signbit(element_.candidate))
      return std::max(from, to) - std::min(from, to);
    return from + to < from ? ~std::uint64_t{0} : from + to;
  }

 private:
  [[nodiscard]] static Contradiction of_bits(std::string_view side, double value,
                                             std::uint64_t bits, tensor::DType dtype) {
    if (is_same(value, value_of(bits, dtype))) return std::nullopt;
    return disagreement(fmt::format("worst.{}", side), fmt::format("{}", value),
                        fmt::format("worst.{}_bits", side), report::bit_pattern(bits, dtype));
  }
  [[nodiscard]] Contradiction of_size() const {
    // Integers of 64 bits are rounded where they are shown.
    constexpr double kShown = 1e-12;
    const double size = std::max(std::abs(element_.reference), std::abs(element_.candidate));
    const double difference = std::abs(element_.candidate - element_.reference);
    if (!at_most(difference, facts_.absolute.max + kShown * size)) {
      return disagreement("worst, with a difference of", difference, "absolute.max",
                          facts_.absolute.max);
    }
    const double most =
        facts_.reference_rms * std::sqrt(static_cast<double>(facts_.classes.finite));
    if (at_most(std::abs(element_.reference), most) || !(most > 0x1p-500)) return std::nullopt;
    return disagreement("worst.reference", element_.reference, "reference_rms",
                        facts_.reference_rms);
  }

  const compare::Element& element_;
  const MeasuredFacts& measured_;
  const compare::TensorComparison& facts_;
};

Contradiction of_worst(const MeasuredFacts& measured) {
  const compare::TensorComparison& facts = measured.facts;
  if (facts.worst.size() > facts.elements) {
    return disagreement("worst with", static_cast<double>(facts.worst.size()), "compared",
                        static_cast<double>(facts.elements));
  }
  bool is_first = true;
  for (const compare::Element& element : facts.worst) {
    const Worst worst(element, measured);
    if (auto found = worst.contradiction()) return found;
    // Those that are not finite come first, then the largest distance.
    const std::optional<std::uint64_t> ulp = is_first ? worst.ulp() : std::nullopt;
    if (ulp && *ulp != facts.ulp.max) {
      return disagreement("ulp.max", static_cast<double>(facts.ulp.max),
                          "worst, with a distance of", static_cast<double>(*ulp));
    }
    if (worst.is_finite()) is_first = false;
  }
  if (!facts.reference_constant) return std::nullopt;
  const auto other = std::find_if(facts.worst.begin(), facts.worst.end(), [&](const auto& each) {
    return each.reference_bits != facts.worst.front().reference_bits;
  });
  if (other == facts.worst.end() || tensor::is_complex(facts.reference_dtype)) return std::nullopt;
  return disagreement("reference_constant", "true", "worst.reference",
                      fmt::format("{} and {}", facts.worst.front().reference, other->reference));
}

}  // namespace

Contradiction contradiction_of_places(const MeasuredFacts& measured) {
  if (auto found = of_first(measured)) return found;
  if (auto found = of_axes(measured)) return found;
  return of_worst(measured);
}

}  // namespace parity::pipeline

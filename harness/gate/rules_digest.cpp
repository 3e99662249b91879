#include "gate/rules_digest.h"

#include <bit>
#include <cstdint>
#include <span>

namespace parity::gate {
namespace {

/// Fields with their lengths in front, so that no two policies give the same text.
class Text {
 public:
  void add(std::string_view field) {
    text_ += std::to_string(field.size()) + ":";
    text_ += field;
  }
  void add(std::size_t count) { add(std::string_view(std::to_string(count))); }
  void add(double number) {
    // Zeros of both signs are one limit.
    add(std::string_view(std::to_string(std::bit_cast<std::uint64_t>(number == 0 ? 0 : number))));
  }
  template <typename Items, typename Name>
  void add_each(const Items& items, const Name& name) {
    add(items.size());
    for (const auto& item : items) add(std::string_view(name(item)));
  }
  [[nodiscard]] tensor::Digest digest() const {
    return tensor::digest_of(std::as_bytes(std::span(text_)));
  }

 private:
  std::string text_;
};

void add_rules(Text& text, const std::vector<Rule>& rules) {
  const auto as_it_is = [](const run::Glob& glob) { return std::string_view(glob.text()); };
  text.add(rules.size());
  for (const Rule& rule : rules) {
    text.add_each(rule.selector.layers, as_it_is);
    text.add_each(rule.selector.kinds, [](run::TapKind kind) { return run::name(kind); });
    text.add_each(rule.selector.ops, as_it_is);
    text.add_each(rule.selector.dtypes, [](tensor::DType dtype) { return tensor::name(dtype); });
    text.add_each(rule.selector.cases, as_it_is);
    text.add(rule.bounds.size());
    for (const Bound& bound : rule.bounds) {
      text.add(std::string_view(bound.metric));
      text.add(bound.warn);
      text.add(bound.fail);
      text.add(std::size_t{bound.presence == Presence::optional ? 1U : 0U});
    }
    text.add(std::size_t{rule.truth_factor ? 1U : 0U});
    if (rule.truth_factor) text.add(*rule.truth_factor);
  }
}

}  // namespace

tensor::Digest digest_of_rules(const RuleBook& book) {
  Text text;
  add_rules(text, book.taps);
  add_rules(text, book.logits);
  text.add(book.truth_factors.size());
  for (const auto& [dtype, factor] : book.truth_factors) {
    text.add(std::string_view(tensor::name(dtype)));
    text.add(factor);
  }
  return text.digest();
}

}  // namespace parity::gate

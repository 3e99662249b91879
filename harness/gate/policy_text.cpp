#include "gate/policy_text.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace parity::gate {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// The shortest text that is read back as the same number.
std::string number(double value) { return fmt::format("{}", value); }

template <typename T, typename Text>
void add_list(std::string& text, std::string_view key, const std::vector<T>& values,
              const Text& text_of) {
  if (values.empty()) return;
  std::string list;
  std::string lines;
  for (const T& value : values) {
    const std::string item = quoted(text_of(value));
    list += (list.empty() ? "" : ", ") + item;
    lines += "  " + item + ",\n";
  }
  constexpr std::size_t kLine = 100;
  const std::string line = fmt::format("{} = [{}]\n", key, list);
  text += line.size() <= kLine ? line : fmt::format("{} = [\n{}]\n", key, lines);
}

void add_remarks(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += line.empty() ? "#\n" : "# " + line + '\n';
}

void add_rule(std::string& text, std::string_view table, const Rule& rule,
              const RuleRemarks& remarks) {
  const auto itself = [](const run::Glob& glob) { return std::string_view(glob.text()); };
  text += '\n';
  add_remarks(text, remarks.rule);
  text += fmt::format("[[{}]]\n", table);
  add_list(text, "layers", rule.selector.layers, itself);
  add_list(text, "kinds", rule.selector.kinds, [](run::TapKind kind) { return run::name(kind); });
  add_list(text, "ops", rule.selector.ops, itself);
  add_list(text, "dtypes", rule.selector.dtypes,
           [](tensor::DType dtype) { return tensor::name(dtype); });
  add_list(text, "cases", rule.selector.cases, itself);
  if (rule.presence == Presence::optional) text += "optional = true\n";
  text += fmt::format("reason = {}\n", quoted(rule.reason));
  if (rule.truth_factor) text += fmt::format("truth_factor = {}\n", number(*rule.truth_factor));
  for (std::size_t i = 0; i < rule.bounds.size(); ++i) {
    const Bound& bound = rule.bounds[i];
    if (i < remarks.bounds.size()) add_remarks(text, remarks.bounds[i]);
    text += fmt::format("[[{}.bound]]\nmetric = {}\nwarn = {}\nfail = {}\n", table,
                        quoted(bound.metric), number(bound.warn), number(bound.fail));
    if (bound.presence == Presence::optional) text += "optional = true\n";
    text += fmt::format("reason = {}\n", quoted(bound.origin));
  }
}

}  // namespace

std::string to_toml(const RuleBook& book) {
  std::string text = fmt::format(
      "# The first rule that matches a tap judges it, and all its bounds must hold. "
      "docs/policy.md\n"
      "# explains every key, docs/metrics.md every metric.\n"
      "name = {}\n"
      "base = \"none\"\n"
      "\n"
      "# How many times the reference's error against a truth the candidate's may be, by the "
      "tap's\n"
      "# own dtype, where a rule does not say it: 2, and 3 where one rounding is coarse enough "
      "that\n"
      "# two results of the same quality can be this far apart (docs/truth.md).\n"
      "[truth_factors]\n",
      quoted(book.name));
  for (const auto& [dtype, factor] : book.truth_factors)
    text += fmt::format("{} = {}\n", tensor::name(dtype), number(factor));
  for (const Rule& rule : book.taps) add_rule(text, "rule", rule, {{rule.id}, {}});
  for (const Rule& rule : book.logits) add_rule(text, "logits", rule, {{rule.id}, {}});
  return text;
}

std::string to_toml(const RuleBook& book, const PolicyRemarks& remarks) {
  std::string text;
  add_remarks(text, remarks.head);
  text += fmt::format("name = {}\n", quoted(book.name));
  for (std::size_t i = 0; i < book.taps.size(); ++i)
    add_rule(text, "rule", book.taps[i], remarks.taps.at(i));
  for (std::size_t i = 0; i < book.logits.size(); ++i)
    add_rule(text, "logits", book.logits[i], remarks.logits.at(i));
  return text;
}

}  // namespace parity::gate

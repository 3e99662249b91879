#include "gate/policy_file.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "error/error.h"
#include "gate/rule_check.h"
#include "run/glob.h"
#include "text_file/text_file.h"

namespace parity::gate {
namespace {

using Keys = std::initializer_list<std::string_view>;

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

/// One table of the file, read key by key. `what`: what a message calls it.
class Table {
 public:
  Table(const RuleBook& book, const toml::table& table, std::string what)
      : book_(book), table_(table), what_(std::move(what)) {}

  [[nodiscard]] int line() const { return line_of(table_); }
  [[nodiscard]] int column() const { return static_cast<int>(table_.source().begin.column); }
  [[noreturn]] void fail(int line, const std::string& problem) const {
    refuse(book_, line, problem);
  }

  void allow(Keys keys) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::string needed_text(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  [[nodiscard]] std::vector<run::Glob> globs(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  /// Of the key `optional`.
  [[nodiscard]] Presence presence() const;
  [[nodiscard]] std::optional<Table> table(std::string_view key) const;
  /// Of [[key]].
  [[nodiscard]] std::vector<Table> tables(std::string_view key, const std::string& what) const;

  /// Texts that `parse` turns into values; those that it does not know are refused.
  template <typename T>
  [[nodiscard]] std::vector<T> values(
      std::string_view key, const std::string& known,
      const std::function<std::optional<T>(std::string_view)>& parse) const;

  /// Every key with its number.
  [[nodiscard]] std::vector<std::pair<std::string, double>> numbers() const;
  [[nodiscard]] int line_of_key(std::string_view key) const { return line_of(*table_.get(key)); }

 private:
  [[noreturn]] void wrong_type(const toml::node& node, std::string_view key,
                               std::string_view wanted) const {
    fail(line_of(node), fmt::format("{} of {} must be {}", key, what_, wanted));
  }

  const RuleBook& book_;
  const toml::table& table_;
  std::string what_;
};

void Table::allow(Keys keys) const {
  for (const auto& [key, node] : table_) {
    const std::string_view name = key;
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    fail(line_of(node),
         fmt::format("unknown key '{}' in {}; known are {}", name, what_, fmt::join(keys, ", ")));
  }
}

std::optional<std::string> Table::text(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) wrong_type(*node, key, "a text in quotes");
  std::string text = **node->as_string();
  if (text.empty()) fail(line_of(*node), fmt::format("{} of {} is empty", key, what_));
  return text;
}

std::string Table::needed_text(std::string_view key) const {
  std::optional<std::string> found = text(key);
  if (!found) fail(line(), fmt::format("{} has no {}", what_, key));
  return *found;
}

std::vector<std::string> Table::texts(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return {};
  if (!node->is_array()) wrong_type(*node, key, "a list of texts, such as [\"a\", \"b\"]");
  std::vector<std::string> texts;
  std::set<std::string> known;
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_string()) wrong_type(item, key, "a list of texts");
    texts.push_back(**item.as_string());
    const std::string& last = texts.back();
    if (last.empty()) fail(line_of(item), fmt::format("{} of {} has an empty text", key, what_));
    if (!known.insert(last).second)
      fail(line_of(item), fmt::format("{} of {} has '{}' twice", key, what_, last));
  }
  if (texts.empty()) fail(line_of(*node), fmt::format("{} of {} is an empty list", key, what_));
  return texts;
}

std::vector<run::Glob> Table::globs(std::string_view key) const {
  std::vector<run::Glob> globs;
  for (const std::string& text : texts(key)) {
    globs.emplace_back(text);
    if (const std::string fault = globs.back().fault(); !fault.empty())
      fail(line_of_key(key), fmt::format("the glob '{}' in {} of {} {}", text, key, what_, fault));
  }
  return globs;
}

std::optional<double> Table::number(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  // An integer that no double has exactly is a limit all the same.
  if (const auto* whole = node->as_integer()) return static_cast<double>(whole->get());
  if (!node->is_number()) wrong_type(*node, key, "a number");
  return **node->as_floating_point();
}

Presence Table::presence() const {
  const toml::node* node = table_.get("optional");
  if (node == nullptr) return Presence::required;
  if (!node->is_boolean()) wrong_type(*node, "optional", "true or false");
  return **node->as_boolean() ? Presence::optional : Presence::required;
}

std::optional<Table> Table::table(std::string_view key) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) wrong_type(*node, key, "a table");
  return Table(book_, *node->as_table(), fmt::format("{} of {}", key, what_));
}

std::vector<Table> Table::tables(std::string_view key, const std::string& what) const {
  const toml::node* node = table_.get(key);
  if (node == nullptr) return {};
  if (!node->is_array()) fail(line_of(*node), fmt::format("write {} with two brackets", what));
  std::vector<Table> tables;
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_table()) fail(line_of(item), fmt::format("{} must be a table of keys", what));
    tables.emplace_back(book_, *item.as_table(), what);
  }
  return tables;
}

template <typename T>
std::vector<T> Table::values(std::string_view key, const std::string& known,
                             const std::function<std::optional<T>(std::string_view)>& parse) const {
  std::vector<T> values;
  for (const std::string& text : texts(key)) {
    const std::optional<T> value = parse(text);
    if (!value) {
      fail(line_of_key(key),
           fmt::format("'{}' in {} of {} is unknown; known are {}", text, key, what_, known));
    }
    values.push_back(*value);
  }
  return values;
}

std::vector<std::pair<std::string, double>> Table::numbers() const {
  std::vector<std::pair<std::string, double>> numbers;
  for (const auto& [key, node] : table_) {
    const std::string_view name = key;
    numbers.emplace_back(name, *number(name));
  }
  return numbers;
}

std::string dtype_names() {
  std::string names;
  for (const tensor::DType dtype : tensor::all_dtypes())
    names += (names.empty() ? "" : ", ") + std::string(tensor::name(dtype));
  return names;
}

std::vector<Bound> bounds_of(const Table& rule, const std::string& what,
                             const std::string& reason) {
  std::vector<Bound> bounds;
  for (const Table& table : rule.tables("bound", what)) {
    table.allow({"metric", "warn", "fail", "optional", "reason"});
    const std::optional<double> fail = table.number("fail");
    Bound bound;
    bound.line = table.line();
    bound.metric = table.needed_text("metric");
    if (!fail) table.fail(table.line(), "the bound on " + bound.metric + " has no fail limit");
    bound.fail = *fail;
    bound.warn = table.number("warn").value_or(bound.fail);
    bound.origin = table.text("reason").value_or(reason);
    bound.presence = table.presence();
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

/// Whether a rule stands in that line already. Rules come as they stand in the file.
bool has_rule_in_line(const std::vector<Rule>& rules, int line) {
  const auto above = [](const Rule& rule, int other) { return rule.line < other; };
  const auto found = std::lower_bound(rules.begin(), rules.end(), line, above);
  return found != rules.end() && found->line == line;
}

/// What rules for taps and rules for logits have in common.
Rule common_part(const RuleBook& book, const Table& table, const std::string& bounds) {
  Rule rule;
  rule.line = table.line();
  rule.id = fmt::format("{}:{}", std::filesystem::path(book.file).filename().string(), rule.line);
  // Inline tables may share a line.
  if (has_rule_in_line(book.taps, rule.line) || has_rule_in_line(book.logits, rule.line))
    rule.id += fmt::format(":{}", table.column());
  rule.selector.layers = table.globs("layers");
  rule.selector.cases = table.globs("cases");
  rule.presence = table.presence();
  rule.reason = table.needed_text("reason");
  rule.truth_factor = table.number("truth_factor");
  rule.bounds = bounds_of(table, bounds, rule.reason);
  return rule;
}

Rule tap_rule(const RuleBook& book, const Table& table) {
  table.allow(
      {"layers", "kinds", "ops", "dtypes", "cases", "optional", "reason", "truth_factor", "bound"});
  Rule rule = common_part(book, table, "[[rule.bound]]");
  rule.selector.kinds =
      table.values<run::TapKind>("kinds", "module, op, output", run::tap_kind_from_name);
  rule.selector.ops = table.globs("ops");
  rule.selector.dtypes =
      table.values<tensor::DType>("dtypes", dtype_names(), tensor::dtype_from_name);
  return rule;
}

void add_truth_factors(const Table& file, RuleBook& book) {
  book.truth_factors = default_rules().truth_factors;
  const std::optional<Table> table = file.table("truth_factors");
  if (!table) return;
  for (const auto& [key, factor] : table->numbers()) {
    const std::optional<tensor::DType> dtype = tensor::dtype_from_name(key);
    const int line = table->line_of_key(key);
    if (!dtype) table->fail(line, fmt::format("there is no dtype '{}'", key));
    check_truth_factor(book, line, factor);
    book.truth_factors[*dtype] = factor;
  }
}

void add_base(const Table& file, RuleBook& book) {
  const std::string base = file.text("base").value_or("default");
  if (base != "default" && base != "none") {
    file.fail(file.line_of_key("base"),
              fmt::format("the base '{}' is unknown; known are default and none", base));
  }
  if (book.taps.empty() && book.logits.empty())
    file.fail(1, "the policy has no rule, so that nothing could be judged by it");
  validate(book);
  if (base == "none") return;
  const RuleBook& behind = default_rules();
  book.taps.insert(book.taps.end(), behind.taps.begin(), behind.taps.end());
  book.logits.insert(book.logits.end(), behind.logits.begin(), behind.logits.end());
}

toml::table parsed(const std::string& text, const RuleBook& book) {
  try {
    return toml::parse(std::string_view(text), std::string_view(book.file));
  } catch (const toml::parse_error& error) {
    std::string problem(error.description());
    std::replace(problem.begin(), problem.end(), '\n', ' ');
    refuse(book, std::max(1, static_cast<int>(error.source().begin.line)),
           "this is no TOML: " + problem);
  }
}

}  // namespace

RuleBook parse_policy(const std::string& text, const std::string& file) {
  RuleBook book;
  book.file = file;
  book.name = file;
  const toml::table root = parsed(text, book);
  const Table table(book, root, "the policy");
  table.allow({"name", "base", "truth_factors", "rule", "logits"});
  const std::optional<std::string> name = table.text("name");
  if (!name) table.fail(1, "the policy has no name");
  for (const Table& rule : table.tables("rule", "[[rule]]"))
    book.taps.push_back(tap_rule(book, rule));
  for (const Table& rule : table.tables("logits", "[[logits]]")) {
    rule.allow({"layers", "cases", "optional", "reason", "truth_factor", "bound"});
    book.logits.push_back(common_part(book, rule, "[[logits.bound]]"));
  }
  add_truth_factors(table, book);
  add_base(table, book);
  book.name = *name;
  return book;
}

RuleBook read_policy(const std::filesystem::path& file) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 20U;
  static constexpr text_file::Kind kPolicy = {
      "policy", kLargest, "1 MiB", "name a TOML file such as `parity policy show` prints"};
  return parse_policy(text_file::read(file, kPolicy), file.string());
}

}  // namespace parity::gate

#include "name_map/name_map_file.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "error/error.h"
#include "text_file/text_file.h"

namespace parity::name_map {
namespace {

constexpr std::size_t kLongestPattern = 1000;  // more is a mistake; matching takes time with it
constexpr std::int64_t kMostGroups = std::int64_t{1} << 20U;

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

/// The reader of one file: every complaint names it and a line.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] NameMap read(const std::string& text) const;

 private:
  [[noreturn]] void refuse(int line, const std::string& problem) const {
    throw Error(ErrorKind::usage, fmt::format("{}:{}: {}", file_, line, problem));
  }
  [[nodiscard]] toml::table parsed(const std::string& text) const;
  void allow(const toml::table& table, const std::string& what,
             std::initializer_list<std::string_view> keys) const;
  [[nodiscard]] const toml::node& needed(const toml::table& table, std::string_view key,
                                         const std::string& what) const;
  [[nodiscard]] std::string text(const toml::node& node, std::string_view key,
                                 const std::string& what) const;
  [[nodiscard]] Pattern pattern(const toml::table& table, std::string_view key,
                                const std::string& what) const;
  [[nodiscard]] std::string name(const toml::node& node, std::string_view key,
                                 const std::string& what, const Pattern& pattern) const;
  [[nodiscard]] std::vector<std::string> names(const toml::node& node, std::string_view key,
                                               const std::string& what,
                                               const Pattern& pattern) const;
  [[nodiscard]] std::int64_t groups(const toml::table& table, const std::string& what) const;
  [[nodiscard]] Rule rule(const toml::table& table, RuleKind kind) const;
  void add_rules(const toml::table& root, RuleKind kind, NameMap& map) const;
  [[nodiscard]] LeadingDimensions leading(const toml::table& root) const;

  std::string file_;
};

toml::table Reader::parsed(const std::string& text) const {
  try {
    return toml::parse(std::string_view(text), std::string_view(file_));
  } catch (const toml::parse_error& error) {
    std::string problem(error.description());
    std::replace(problem.begin(), problem.end(), '\n', ' ');
    refuse(std::max(1, static_cast<int>(error.source().begin.line)), "this is no TOML: " + problem);
  }
}

void Reader::allow(const toml::table& table, const std::string& what,
                   std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, node] : table) {
    const std::string_view found = key;
    if (std::find(keys.begin(), keys.end(), found) != keys.end()) continue;
    refuse(line_of(node),
           fmt::format("unknown key '{}' in {}; known are {}", found, what, fmt::join(keys, ", ")));
  }
}

const toml::node& Reader::needed(const toml::table& table, std::string_view key,
                                 const std::string& what) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) refuse(line_of(table), fmt::format("{} has no {}", what, key));
  return *node;
}

std::string Reader::text(const toml::node& node, std::string_view key,
                         const std::string& what) const {
  if (!node.is_string())
    refuse(line_of(node), fmt::format("{} of {} must be a text in quotes", key, what));
  return **node.as_string();
}

Pattern Reader::pattern(const toml::table& table, std::string_view key,
                        const std::string& what) const {
  const toml::node& node = needed(table, key, what);
  const std::string found = text(node, key, what);
  if (found.empty()) refuse(line_of(node), fmt::format("{} of {} is empty", key, what));
  if (found.size() > kLongestPattern) {
    refuse(line_of(node),
           fmt::format("{} of {} has more than {} bytes", key, what, kLongestPattern));
  }
  try {
    return Pattern(found);
  } catch (const Error& error) {
    refuse(line_of(node), fmt::format("'{}' is no regular expression: {}", found, error.what()));
  }
}

std::string Reader::name(const toml::node& node, std::string_view key, const std::string& what,
                         const Pattern& pattern) const {
  std::string found = text(node, key, what);
  const std::optional<std::size_t> highest = highest_group(found);
  if (!highest) {
    refuse(line_of(node),
           fmt::format("'{}' has a $ that no digit follows; write $$ for the character", found));
  }
  if (*highest > pattern.groups()) {
    refuse(line_of(node), fmt::format("'{}' asks for group {} of '{}', which has {}", found,
                                      *highest, pattern.text(), pattern.groups()));
  }
  return found;
}

std::int64_t Reader::groups(const toml::table& table, const std::string& what) const {
  const toml::node* node = table.get("groups");
  if (node == nullptr) return 1;
  const std::int64_t count = node->is_integer() ? **node->as_integer() : 0;
  if (count < 1 || count > kMostGroups)
    refuse(line_of(*node), fmt::format("groups of {} must be a whole number from 1", what));
  return count;
}

std::vector<std::string> Reader::names(const toml::node& node, std::string_view key,
                                       const std::string& what, const Pattern& pattern) const {
  if (!node.is_array() || node.as_array()->size() < 2)
    refuse(line_of(node), fmt::format("{} of {} must be a list of two names or more", key, what));
  std::vector<std::string> names;
  for (const toml::node& item : *node.as_array()) {
    names.push_back(name(item, key, what, pattern));
    if (std::count(names.begin(), names.end(), names.back()) > 1)
      refuse(line_of(item), fmt::format("{} of {} has '{}' twice", key, what, names.back()));
  }
  return names;
}

Rule Reader::rule(const toml::table& table, RuleKind kind) const {
  const std::string what = fmt::format("[[{}]]", name_map::name(kind));
  const bool golden = side_of(kind) == Side::golden;
  const std::string_view from = golden ? "golden" : "candidate";
  const std::string_view to = golden ? "candidate" : "golden";
  switch (kind) {
    case RuleKind::ignore:
    case RuleKind::leave_out:
      allow(table, what, {from});
      break;
    case RuleKind::rename:
      allow(table, what, {"candidate", "golden"});
      break;
    case RuleKind::split:
    case RuleKind::concat:
      allow(table, what, {"candidate", "golden", "groups"});
      break;
  }
  Rule rule{kind, line_of(table), pattern(table, from, what), {}, groups(table, what)};
  if (kind == RuleKind::ignore || kind == RuleKind::leave_out) return rule;
  const toml::node& others = needed(table, to, what);
  if (kind == RuleKind::rename) {
    rule.names.push_back(name(others, to, what, rule.pattern));
  } else {
    rule.names = names(others, to, what, rule.pattern);
  }
  return rule;
}

void Reader::add_rules(const toml::table& root, RuleKind kind, NameMap& map) const {
  const std::string key(name_map::name(kind));
  const toml::node* node = root.get(key);
  if (node == nullptr) return;
  if (!node->is_array()) refuse(line_of(*node), fmt::format("write [[{}]] with two brackets", key));
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_table()) refuse(line_of(item), fmt::format("[[{}]] must be a table of keys", key));
    map.rules.push_back(rule(*item.as_table(), kind));
  }
}

LeadingDimensions Reader::leading(const toml::table& root) const {
  const toml::node* node = root.get("leading_dimensions");
  if (node == nullptr) return LeadingDimensions::same;
  const std::string found = text(*node, "leading_dimensions", "the map");
  if (found != "same" && found != "any") {
    refuse(line_of(*node),
           fmt::format("leading_dimensions is '{}'; known are same and any", found));
  }
  return found == "any" ? LeadingDimensions::any : LeadingDimensions::same;
}

NameMap Reader::read(const std::string& content) const {
  const toml::table root = parsed(content);
  allow(root, "the map",
        {"leading_dimensions", "rename", "split", "concat", "ignore", "leave_out"});
  NameMap map;
  map.file = file_;
  map.leading = leading(root);
  for (const RuleKind kind :
       {RuleKind::rename, RuleKind::split, RuleKind::concat, RuleKind::ignore, RuleKind::leave_out})
    add_rules(root, kind, map);
  if (map.rules.empty() && map.leading == LeadingDimensions::same)
    refuse(1, "the map has no rule, so that it would change nothing");
  std::stable_sort(map.rules.begin(), map.rules.end(),
                   [](const Rule& one, const Rule& other) { return one.line < other.line; });
  return map;
}

}  // namespace

// What the file says, and what it is called: in the order of every reader here.
// NOLINTNEXTLINE(bugprone-easily-swappable-parameters)
NameMap parse_name_map(const std::string& text, const std::string& file) {
  return Reader(file).read(text);
}

NameMap read_name_map(const std::filesystem::path& file) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 20U;
  static constexpr text_file::Kind kMap = {"name map", kLargest, "1 MiB",
                                           "name a TOML file as docs/name-map.md describes it"};
  return parse_name_map(text_file::read(file, kMap), file.string());
}

}  // namespace parity::name_map

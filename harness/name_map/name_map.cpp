#include "name_map/name_map.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "error/error.h"

namespace parity::name_map {
namespace {

constexpr std::size_t kLongestName = 4096;

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// What a rule says a name is: the call is not in it.
run::TapId parsed(const std::string& text, const run::TapId& from) {
  run::TapId id;
  id.call = from.call;
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && (slash == std::string::npos || slash < colon);
  id.port = has_port ? text.substr(colon + 1) : "";
  const std::string rest = text.substr(0, has_port ? colon : std::string::npos);
  id.path = rest.substr(0, slash);
  if (slash != std::string::npos) id.op = rest.substr(slash + 1);
  id.kind = id.path == run::kOutputPath ? run::TapKind::output
            : id.op.empty()             ? run::TapKind::module
                                        : run::TapKind::op;
  return id;
}

std::string without_port(const run::TapId& id) {
  return id.op.empty() ? id.path : id.path + "/" + id.op;
}

}  // namespace

std::string_view name(RuleKind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"rename", "split", "concat", "ignore",
                                                             "leave_out"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Side side_of(RuleKind kind) {
  return kind == RuleKind::concat || kind == RuleKind::leave_out ? Side::golden : Side::candidate;
}

Pattern::Pattern(const std::string& text)
    : text_(text), regex_(text, std::regex::ECMAScript | std::regex::optimize) {}

std::optional<std::vector<std::string>> Pattern::match(const std::string& name) const {
  std::smatch found;
  if (name.size() > kLongestName || !std::regex_match(name, found, regex_)) return std::nullopt;
  std::vector<std::string> groups;
  groups.reserve(found.size());
  for (const auto& group : found) groups.push_back(group.str());
  return groups;
}

std::optional<std::size_t> highest_group(std::string_view text) {
  std::size_t highest = 0;
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 2)) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (!is_digit(next) && next != '$') return std::nullopt;
    if (is_digit(next)) highest = std::max(highest, static_cast<std::size_t>(next - '0'));
  }
  return highest;
}

std::string expanded(std::string_view text, const std::vector<std::string>& groups) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      result += text[at];
      continue;
    }
    ++at;
    result += is_digit(text[at]) ? groups.at(static_cast<std::size_t>(text[at] - '0')) : "$";
  }
  return result;
}

std::string subject(const run::TapId& id) {
  return id.port.empty() ? without_port(id) : without_port(id) + ":" + id.port;
}

std::optional<std::vector<run::TapId>> named_by(const Rule& rule, const run::TapId& id) {
  bool keeps_port = false;
  auto groups = rule.pattern.match(subject(id));
  if (!groups && !id.port.empty()) {
    groups = rule.pattern.match(without_port(id));
    keeps_port = true;
  }
  if (!groups) return std::nullopt;
  std::vector<run::TapId> ids;
  for (const std::string& text : rule.names) {
    ids.push_back(parsed(expanded(text, *groups), id));
    if (keeps_port && ids.back().port.empty()) ids.back().port = id.port;
  }
  return ids;
}

run::ModelDescription renamed(const NameMap& map, run::ModelDescription model) {
  std::set<std::string> taken;
  for (run::WeightDigest& weight : model.weights) {
    const std::size_t dot = weight.name.rfind('.');
    run::TapId layer;
    if (dot != std::string::npos) layer.path = weight.name.substr(0, dot);
    for (const Rule& rule : map.rules) {
      if (side_of(rule.kind) == Side::golden) continue;
      const auto names = named_by(rule, layer);
      if (!names) continue;
      // A fused weight has no digest of its parts, so it keeps its name.
      if (rule.kind != RuleKind::rename) break;
      const std::string& path = names->front().path;
      const std::string name = (path.empty() ? "" : path + ".") +
                               weight.name.substr(dot == std::string::npos ? 0 : dot + 1);
      if (taken.count(name) == 0) weight.name = name;
      break;
    }
    taken.insert(weight.name);
  }
  std::sort(model.weights.begin(), model.weights.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return model;
}

}  // namespace parity::name_map

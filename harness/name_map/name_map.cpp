#include "name_map/name_map.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <re2/re2.h>

#include "error/error.h"

namespace parity::name_map {
namespace {

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

/// What is wrong with an expression that RE2 does not take, without RE2's name for it.
std::string problem_of(const re2::RE2& regex) {
  const std::string part = regex.error_arg().empty() ? "" : ": '" + regex.error_arg() + "'";
  switch (regex.error_code()) {
    case re2::RE2::ErrorBadEscape:
      return "there is no such escape, and it cannot refer back to a group" + part;
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "a range runs backwards, or there is no such class of characters" + part;
    case re2::RE2::ErrorMissingBracket:
      return "a '[' is not closed" + part;
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
      return "a parenthesis is not closed, or was never opened";
    case re2::RE2::ErrorTrailingBackslash:
      return "there is nothing behind the last backslash";
    case re2::RE2::ErrorRepeatArgument:
    case re2::RE2::ErrorRepeatOp:
      return "a '*', '+', '?' or '{' has nothing in front that it could repeat" + part;
    case re2::RE2::ErrorRepeatSize:
      return "it asks for no possible number of repetitions, or more than 1000" + part;
    case re2::RE2::ErrorBadPerlOp:
      return "'(?' begins nothing that is known here; it cannot look ahead or behind" + part;
    case re2::RE2::ErrorBadUTF8:
      return "it is no UTF-8";
    case re2::RE2::ErrorBadNamedCapture:
      return "a group's name is none, or is there twice" + part;
    default:
      return "it is too large";
  }
}

/// What the first rule for its layer makes of a weight's name.
std::string golden_name(const NameMap& map, const std::string& weight) {
  const std::size_t dot = weight.rfind('.');
  run::TapId layer;
  if (dot != std::string::npos) layer.path = weight.substr(0, dot);
  for (const Rule& rule : map.rules) {
    if (side_of(rule.kind) == Side::golden) continue;
    const auto names = named_by(rule, layer);
    if (!names) continue;
    // A fused weight has no digest of its parts, so it keeps its name.
    if (rule.kind != RuleKind::rename) break;
    const std::string& path = names->front().path;
    return (path.empty() ? "" : path + ".") + weight.substr(dot == std::string::npos ? 0 : dot + 1);
  }
  return weight;
}

/// Gives a weight its own name back where another has its new one, so that none hides another: the
/// first that a rule names keeps it, and one that no rule names always does. Layers that change
/// places stay changed.
void keep_what_collides(const std::vector<run::WeightDigest>& weights,
                        std::vector<std::string>& names) {
  for (bool changed = true; changed;) {
    changed = false;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == weights[i].name) taken.insert(names[i]);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == weights[i].name || taken.insert(names[i]).second) continue;
      names[i] = weights[i].name;
      changed = true;
    }
  }
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

Pattern::Pattern(std::string text) : text_(std::move(text)) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  regex_ = std::make_shared<const re2::RE2>(text_, options);
  if (!regex_->ok()) throw Error(ErrorKind::usage, problem_of(*regex_));
}

std::size_t Pattern::groups() const {
  return static_cast<std::size_t>(regex_->NumberOfCapturingGroups());
}

std::optional<std::vector<std::string>> Pattern::match(const std::string& name) const {
  std::vector<re2::StringPiece> found(groups() + 1);
  if (!regex_->Match(name, 0, name.size(), re2::RE2::ANCHOR_BOTH, found.data(),
                     static_cast<int>(found.size())))
    return std::nullopt;
  std::vector<std::string> matched;
  matched.reserve(found.size());
  for (const re2::StringPiece& group : found) matched.emplace_back(group.data(), group.size());
  return matched;
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
  std::vector<std::string> names;
  for (const run::WeightDigest& weight : model.weights)
    names.push_back(golden_name(map, weight.name));
  keep_what_collides(model.weights, names);
  for (std::size_t i = 0; i < names.size(); ++i) model.weights[i].name = std::move(names[i]);
  std::sort(model.weights.begin(), model.weights.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return model;
}

}  // namespace parity::name_map

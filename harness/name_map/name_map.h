// Rules that say which tap of a golden a candidate's tap is, for stacks that name or fuse their
// layers otherwise. Knows names alone: no value, no file, no comparison.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/model_description.h"
#include "run/tap.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace parity::name_map {

/// `rename`: one tap is one. `split`: one of the candidate's is several of the golden's. `concat`:
/// several of the candidate's are one of the golden's. `ignore`: the candidate's is none of them,
/// and that is no fault. `leave_out`: the same of one of the golden's.
enum class RuleKind : std::uint8_t { rename, split, concat, ignore, leave_out };

/// Whose names a rule's pattern is for.
enum class Side : std::uint8_t { candidate, golden };

[[nodiscard]] Side side_of(RuleKind kind);

[[nodiscard]] std::string_view name(RuleKind kind);

/// A regular expression of RE2's syntax that has to match a whole name. Takes time in proportion to
/// the length of the name, whatever the expression: RE2 never tries a way twice.
class Pattern {
 public:
  /// Throws Error (usage) with what is wrong with the expression, without its text.
  explicit Pattern(std::string text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t groups() const;
  /// The groups of a match, the whole name first, empty those that took no part in it; nullopt
  /// where it does not match.
  [[nodiscard]] std::optional<std::vector<std::string>> match(const std::string& name) const;

 private:
  std::string text_;
  std::shared_ptr<const re2::RE2> regex_;  ///< never changed, so copies share it
};

struct Rule {
  RuleKind kind = RuleKind::rename;
  int line = 0;
  Pattern pattern;                 ///< of the names of side_of(kind)
  std::vector<std::string> names;  ///< of the other side, with `$1` for what a group matched; none
                                   ///< of `ignore` and `leave_out`
  std::int64_t groups = 1;  ///< the fused dimension is that many blocks, each with a share of
                            ///< every part in turn; 1: the parts one behind the other
};

/// Whether a tap of as many rows of the same length may have other dimensions in front: services
/// pack the tokens of all sequences into one.
enum class LeadingDimensions : std::uint8_t { same, any };

struct NameMap {
  std::string file;
  std::vector<Rule> rules;  ///< by line; the first that matches a name counts
  LeadingDimensions leading = LeadingDimensions::same;
};

/// The highest group that a name asks for with `$N`; nullopt where a `$` is followed by neither a
/// digit nor another `$`, which stands for itself.
[[nodiscard]] std::optional<std::size_t> highest_group(std::string_view text);

/// `text` with each `$N` replaced. Groups that it asks for have to be there.
[[nodiscard]] std::string expanded(std::string_view text, const std::vector<std::string>& groups);

/// The name that rules see: `path`, `path/op`, with `:port` behind it where there is one; never a
/// call.
[[nodiscard]] std::string subject(const run::TapId& id);

/// The ids in the other side's names where the rule's pattern matches `id`; nullopt where it does
/// not. Tried with the port first, then without: then the port is kept. The call is always kept.
[[nodiscard]] std::optional<std::vector<run::TapId>> named_by(const Rule& rule,
                                                              const run::TapId& id);

/// The weights under the golden's names, as rules of kind rename have them for the layers that the
/// weights are of.
[[nodiscard]] run::ModelDescription renamed(const NameMap& map, run::ModelDescription model);

}  // namespace parity::name_map

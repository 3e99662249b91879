// Globs as dynamic programming over pattern and text: time grows with their product, whatever the
// stars.
#include "capture/tap_filter.h"

#include <string_view>
#include <utility>

namespace parity::capture {
namespace {

bool is_separator(char c) { return c == '.' || c == '/'; }

/// One element of a glob: a literal, `?`, a set, `*` or `**`.
struct Piece {
  enum class Kind { one, star, double_star } kind;
  std::string_view text;  ///< kind one: "a", "?" or "[...]"
};

std::vector<Piece> pieces_of(std::string_view glob) {
  std::vector<Piece> pieces;
  while (!glob.empty()) {
    std::size_t length = 1;
    Piece::Kind kind = Piece::Kind::one;
    if (glob.front() == '*') {
      const bool crosses = glob.size() > 1 && glob[1] == '*';
      kind = crosses ? Piece::Kind::double_star : Piece::Kind::star;
      length = crosses ? 2 : 1;
    } else if (glob.front() == '[') {
      // A set without its ']' is a plain '['.
      const std::size_t end = glob.find(']', 2);
      length = end == std::string_view::npos ? 1 : end + 1;
    }
    pieces.push_back({kind, glob.substr(0, length)});
    glob.remove_prefix(length);
  }
  return pieces;
}

bool set_contains(std::string_view body, char c) {
  const bool negated = body.front() == '!';
  if (negated) body.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (i + 2 < body.size() && body[i + 1] == '-') {
      found = found || (body[i] <= c && c <= body[i + 2]);
      i += 2;
    } else {
      found = found || body[i] == c;
    }
  }
  return found != negated && !is_separator(c);
}

bool one_matches(std::string_view piece, char c) {
  if (piece == "?") return !is_separator(c);
  if (piece.size() > 1) return set_contains(piece.substr(1, piece.size() - 2), c);
  return piece.front() == c;
}

}  // namespace

bool glob_matches(const std::string& glob, const std::string& text) {
  // reached[j]: the pieces so far match the first j characters.
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (const Piece& piece : pieces_of(glob)) {
    std::vector<bool> next(text.size() + 1, false);
    const bool star = piece.kind != Piece::Kind::one;
    next[0] = star && reached[0];
    for (std::size_t j = 1; j <= text.size(); ++j) {
      const char c = text[j - 1];
      if (!star) {
        next[j] = reached[j - 1] && one_matches(piece.text, c);
      } else {
        const bool takes = piece.kind == Piece::Kind::double_star || !is_separator(c);
        next[j] = reached[j] || (next[j - 1] && takes);
      }
    }
    reached = std::move(next);
  }
  return reached[text.size()];
}

TapFilter::TapFilter(std::vector<std::string> layers, std::vector<std::string> skip) {
  for (std::string& glob : layers) layers_.push_back({std::move(glob)});
  for (std::string& glob : skip) skip_.push_back({std::move(glob)});
}

bool TapFilter::any_matches(std::vector<Pattern>& patterns, const run::TapId& id) {
  if (patterns.empty()) return false;
  bool any = false;
  const std::string full_name = run::to_string(id);
  for (Pattern& pattern : patterns) {
    if (glob_matches(pattern.glob, id.path) || glob_matches(pattern.glob, full_name)) {
      pattern.matched = true;
      any = true;
    }
  }
  return any;
}

bool TapFilter::keeps(const run::TapId& id) {
  const bool wanted = any_matches(layers_, id) || layers_.empty();
  const bool skipped = any_matches(skip_, id);
  if (id.kind == run::TapKind::output) return true;
  const bool kept = wanted && !skipped;
  ++(kept ? kept_layers_ : turned_away_);
  return kept;
}

std::string TapFilter::remark() const {
  if (kept_layers_ > 0 || turned_away_ == 0) return {};
  return "--layers and --skip turn every layer away: the model's own output alone is left";
}

std::vector<std::string> TapFilter::unmatched() const {
  std::vector<std::string> globs;
  for (const auto* patterns : {&layers_, &skip_}) {
    for (const Pattern& pattern : *patterns) {
      if (!pattern.matched) globs.push_back(pattern.glob);
    }
  }
  return globs;
}

}  // namespace parity::capture

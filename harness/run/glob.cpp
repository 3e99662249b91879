// Globs as dynamic programming over pattern and text: time grows with their product, whatever the
// stars. Most names differ from most globs in what stands before the first star or behind the last,
// so that is looked at first.
#include "run/glob.h"

#include <algorithm>
#include <utility>

namespace parity::run {
namespace {

bool is_separator(char c) { return c == '.' || c == '/'; }

struct Range {
  char first;
  char last;
};

/// Calls `visit` with each range of a set, single characters included.
template <typename Visit>
void for_each_range(std::string_view body, const Visit& visit) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool is_range = i + 2 < body.size() && body[i + 1] == '-';
    visit(Range{body[i], is_range ? body[i + 2] : body[i]});
    if (is_range) i += 2;
  }
}

std::string_view without_negation(std::string_view body) {
  return body.front() == '!' ? body.substr(1) : body;
}

/// What is between the brackets of a piece that is a set.
std::string_view body_of(std::string_view set) { return set.substr(1, set.size() - 2); }

bool set_contains(std::string_view body, char c) {
  bool found = false;
  for_each_range(without_negation(body), [&](const Range& range) {
    found = found || (range.first <= c && c <= range.last);
  });
  return found != (body.front() == '!') && !is_separator(c);
}

bool one_matches(std::string_view piece, char c) {
  if (piece == "?") return !is_separator(c);
  if (piece.size() > 1) return set_contains(body_of(piece), c);
  return piece.front() == c;
}

}  // namespace

Glob::Glob(std::string text) : text_(std::move(text)) {
  std::string_view rest = text_;
  while (!rest.empty()) {
    std::size_t length = 1;
    PieceKind kind = rest.front() == '?' ? PieceKind::one : PieceKind::literal;
    if (rest.front() == '*') {
      const bool crosses = rest.size() > 1 && rest[1] == '*';
      kind = crosses ? PieceKind::double_star : PieceKind::star;
      length = crosses ? 2 : 1;
    } else if (rest.front() == '[') {
      // A set without its ']' is a plain '['.
      const std::size_t end = rest.find(']', 2);
      if (end != std::string_view::npos) {
        kind = PieceKind::one;
        length = end + 1;
      }
    }
    pieces_.push_back({kind, text_.size() - rest.size(), length});
    rest.remove_prefix(length);
  }
  const auto is_literal = [](const Piece& piece) { return piece.kind == PieceKind::literal; };
  const auto is_single = [](const Piece& piece) { return piece.kind <= PieceKind::one; };
  const auto first = std::find_if_not(pieces_.begin(), pieces_.end(), is_literal);
  const auto last = std::find_if_not(pieces_.rbegin(), pieces_.rend(), is_literal);
  prefix_ = static_cast<std::size_t>(first - pieces_.begin());
  suffix_ = static_cast<std::size_t>(last - pieces_.rbegin());
  least_ = static_cast<std::size_t>(std::count_if(pieces_.begin(), pieces_.end(), is_single));
}

bool Glob::matches(std::string_view text) const {
  if (prefix_ == pieces_.size()) return text == text_;
  // A literal piece is one character of the pattern, so that both ends are plain text.
  const std::string_view own = text_;
  if (text.size() < least_ || text.substr(0, prefix_) != own.substr(0, prefix_) ||
      text.substr(text.size() - suffix_) != own.substr(own.size() - suffix_))
    return false;
  return middle_matches(text.substr(prefix_, text.size() - prefix_ - suffix_));
}

bool Glob::middle_matches(std::string_view text) const {
  // reached[j]: the pieces so far match the first j characters.
  std::vector<bool> reached(text.size() + 1, false);
  reached[0] = true;
  for (std::size_t i = prefix_; i + suffix_ < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    const std::string_view own = std::string_view(text_).substr(piece.begin, piece.length);
    std::vector<bool> next(text.size() + 1, false);
    const bool star = piece.kind == PieceKind::star || piece.kind == PieceKind::double_star;
    next[0] = star && reached[0];
    for (std::size_t j = 1; j <= text.size(); ++j) {
      const char c = text[j - 1];
      if (!star) {
        next[j] = reached[j - 1] && one_matches(own, c);
      } else {
        const bool takes = piece.kind == PieceKind::double_star || !is_separator(c);
        next[j] = reached[j] || (next[j - 1] && takes);
      }
    }
    reached = std::move(next);
  }
  return reached[text.size()];
}

std::string Glob::fault() const {
  std::string fault;
  for (const Piece& piece : pieces_) {
    const std::string_view own = std::string_view(text_).substr(piece.begin, piece.length);
    if (own == "[") return "has a '[' that no ']' closes";
    if (piece.kind != PieceKind::one || own.size() < 2) continue;
    for_each_range(without_negation(body_of(own)), [&](const Range& range) {
      if (range.first <= range.last) return;
      fault = std::string("has the range ") + range.first + '-' + range.last +
              ", which runs backwards and holds nothing";
    });
  }
  return fault;
}

bool glob_matches(const std::string& glob, const std::string& text) {
  return Glob(glob).matches(text);
}

bool names_tap(const std::string& glob, const TapId& id) {
  const Glob compiled(glob);
  return compiled.matches(id.path) || compiled.matches(to_string(id));
}

}  // namespace parity::run

// Globs as dynamic programming over pattern and text: time grows with their product, whatever the
// stars.
#include "run/glob.h"

#include <string_view>
#include <utility>
#include <vector>

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
  bool found = false;
  for_each_range(without_negation(body), [&](const Range& range) {
    found = found || (range.first <= c && c <= range.last);
  });
  return found != (body.front() == '!') && !is_separator(c);
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

std::string glob_fault(const std::string& glob) {
  std::string fault;
  for (const Piece& piece : pieces_of(glob)) {
    if (piece.text == "[") return "has a '[' that no ']' closes";
    if (piece.kind != Piece::Kind::one || piece.text.size() < 2) continue;
    for_each_range(without_negation(piece.text.substr(1, piece.text.size() - 2)),
                   [&](const Range& range) {
                     if (range.first <= range.last) return;
                     fault = std::string("has the range ") + range.first + '-' + range.last +
                             ", which runs backwards and holds nothing";
                   });
  }
  return fault;
}

bool names_tap(const std::string& glob, const TapId& id) {
  return glob_matches(glob, id.path) || glob_matches(glob, to_string(id));
}

}  // namespace parity::run

// Globs over layer paths and tap names: `*` matches any run of characters without '.', '/', `**`
// any run, `?` one character, `[a-z]` a set. Knows no tap but the one it is asked about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/tap.h"

namespace parity::run {

/// A glob that is taken apart once, for the many names that it is asked about.
class Glob {
 public:
  // Implicit: a glob is written as text.
  Glob(std::string text);
  Glob(const char* text) : Glob(std::string(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool matches(std::string_view text) const;
  /// What is wrong with a glob that is not what it looks like: "has a '[' that no ']' closes", "has
  /// the range z-a, which runs backwards and holds nothing"; empty where nothing is.
  [[nodiscard]] std::string fault() const;

  bool operator==(const Glob& other) const { return text_ == other.text_; }

 private:
  /// A character itself, any one of several, or a run of them.
  enum class PieceKind : std::uint8_t { literal, one, star, double_star };
  struct Piece {
    PieceKind kind = PieceKind::literal;
    std::size_t begin = 0;  ///< in the text
    std::size_t length = 0;
  };
  /// What stands between the first piece that is no literal and the last.
  [[nodiscard]] bool middle_matches(std::string_view text) const;

  std::string text_;
  std::vector<Piece> pieces_;
  std::size_t prefix_ = 0;  ///< literals in front
  std::size_t suffix_ = 0;  ///< literals at the end
  std::size_t least_ = 0;   ///< characters of every name that it matches
};

[[nodiscard]] bool glob_matches(const std::string& glob, const std::string& text);

/// Whether it matches the tap's layer path or its full name.
[[nodiscard]] bool names_tap(const std::string& glob, const TapId& id);

}  // namespace parity::run

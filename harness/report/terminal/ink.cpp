#include "report/terminal/ink.h"

namespace parity::report {
namespace {

std::string_view code(Tone tone) {
  switch (tone) {
    case Tone::strong:
      return "1";
    case Tone::good:
      return "32";
    case Tone::warning:
      return "33";
    case Tone::bad:
      return "31";
    case Tone::plain:
      break;
  }
  return "";
}

}  // namespace

Tone tone_of(run::Verdict verdict) {
  if (verdict == run::Verdict::suspect) return Tone::warning;
  return run::passes(verdict, run::Strictness::normal) ? Tone::good : Tone::bad;
}

std::string paint(std::string_view text, Tone tone, Color color) {
  if (color == Color::off || tone == Tone::plain || text.empty()) return std::string(text);
  return std::string("\033[").append(code(tone)).append("m").append(text).append("\033[0m");
}

}  // namespace parity::report

#include "run/finding.h"

#include <algorithm>

namespace parity::run {

Level worst(const Diagnosis& diagnosis) {
  Level level = Level::ok;
  for (const Finding& finding : diagnosis.findings) level = std::max(level, finding.level);
  return level;
}

std::string_view name(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::problem:
      return "problem";
  }
  return "unknown";
}

}  // namespace parity::run

#include "capture/tap_filter.h"

#include <utility>

#include "run/glob.h"

namespace parity::capture {

TapFilter::TapFilter(std::vector<std::string> layers, std::vector<std::string> skip) {
  for (std::string& glob : layers) layers_.push_back({std::move(glob)});
  for (std::string& glob : skip) skip_.push_back({std::move(glob)});
}

bool TapFilter::any_matches(std::vector<Pattern>& patterns, const run::TapId& id) {
  if (patterns.empty()) return false;
  bool any = false;
  const std::string full_name = run::to_string(id);
  for (Pattern& pattern : patterns) {
    if (pattern.glob.matches(id.path) || pattern.glob.matches(full_name)) {
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
      if (!pattern.matched) globs.push_back(pattern.glob.text());
    }
  }
  return globs;
}

}  // namespace parity::capture

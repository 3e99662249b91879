#include "gate/calibration_groups.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

namespace parity::gate {
namespace {

/// Figures below one rounding are all alike: no limit is that low.
double magnitude(double figure, tensor::DType dtype) {
  const double least = tensor::unit_roundoff(tensor::component(dtype));
  return std::log2(std::max({figure, least, std::numeric_limits<double>::min()}));
}

/// Of the worst figures of the peers in a group, as powers of two.
struct Range {
  double low = 0;
  double high = 0;

  [[nodiscard]] Range with(const Range& other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
  [[nodiscard]] double length() const { return high - low; }
};

struct Group {
  std::size_t first = 0;  ///< place of its first tap
  run::TapKind kind = run::TapKind::module;
  tensor::DType dtype = tensor::DType::float32;
  std::vector<std::string> globs;
  Range nrmse;
  Range max_error;

  void add(const Group& other) {
    first = std::min(first, other.first);
    globs.insert(globs.end(), other.globs.begin(), other.globs.end());
    nrmse = nrmse.with(other.nrmse);
    max_error = max_error.with(other.max_error);
  }
  [[nodiscard]] bool may_join(const Group& other) const {
    return kind == other.kind && dtype == other.dtype;
  }
  /// Factors of two between the figures of the peers that would be in one group.
  [[nodiscard]] double distance(const Group& other) const {
    return std::max(nrmse.with(other.nrmse).length(), max_error.with(other.max_error).length());
  }
};

std::vector<Group> peers(const std::vector<MeasuredTap>& taps) {
  using Key = std::pair<std::pair<tensor::DType, run::TapKind>, std::string>;
  std::map<Key, std::size_t> places;
  std::vector<Group> groups;
  for (std::size_t i = 0; i < taps.size(); ++i) {
    const MeasuredTap& tap = taps[i];
    std::string glob = peer_glob(tap.tap);
    if (glob.empty()) continue;
    const auto [place, is_new] =
        places.emplace(Key{{tap.dtype, tap.tap.kind}, glob}, groups.size());
    const double nrmse = magnitude(tap.nrmse, tap.dtype);
    const double max_error = magnitude(tap.max_error_over_rms, tap.dtype);
    if (is_new) {
      groups.push_back(
          {i, tap.tap.kind, tap.dtype, {std::move(glob)}, {nrmse, nrmse}, {max_error, max_error}});
    }
    // Peers are one group however far apart they are: only the worst of them counts.
    Group& group = groups[place->second];
    group.nrmse.low = group.nrmse.high = std::max(group.nrmse.high, nrmse);
    group.max_error.low = group.max_error.high = std::max(group.max_error.high, max_error);
  }
  return groups;
}

/// Neighbours in this order are the candidates for joining.
bool comes_before(const Group& one, const Group& other) {
  if (one.dtype != other.dtype) return one.dtype < other.dtype;
  if (one.kind != other.kind) return one.kind < other.kind;
  if (one.nrmse.high != other.nrmse.high) return one.nrmse.high < other.nrmse.high;
  if (one.max_error.high != other.max_error.high) return one.max_error.high < other.max_error.high;
  return one.first < other.first;
}

/// Place of the group that is closest to the one behind it; nullopt when none may join.
std::optional<std::size_t> closest(const std::vector<Group>& groups) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) {
    if (!groups[i].may_join(groups[i + 1])) continue;
    const auto distance = [&](std::size_t at) { return groups[at].distance(groups[at + 1]); };
    if (!found || distance(i) < distance(*found)) found = i;
  }
  return found;
}

void join(std::vector<Group>& groups, std::size_t most) {
  constexpr double kAlike = 1;  // a factor of two, which is less than any headroom
  std::sort(groups.begin(), groups.end(), comes_before);
  while (const std::optional<std::size_t> at = closest(groups)) {
    Group& one = groups[*at];
    if (one.distance(groups[*at + 1]) > kAlike && groups.size() <= most) return;
    one.add(groups[*at + 1]);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(*at) + 1);
  }
}

/// A character of a name as a glob that matches it alone. A byte beyond ASCII is any one character:
/// names need not be UTF-8, which a policy file has to be.
void add_literal(std::string& glob, char c) {
  if (c == '*' || c == '?' || c == '[') {
    glob.append("[").append(1, c).append("]");
  } else {
    glob += static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
}

std::string generalised(const std::string& name) {
  std::string glob;
  bool in_number = false;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) add_literal(glob, c);
    if (digit && !in_number) glob += '*';
    in_number = digit;
  }
  return glob;
}

/// Ports of an output are different results, whatever their numbers; calls of it are the same one.
std::string output_glob(const run::TapId& tap) {
  std::string glob;
  for (const char c : tap.path) add_literal(glob, c);
  if (tap.call != 0) glob += "#*";
  if (!tap.port.empty()) glob += ':';
  for (const char c : tap.port) add_literal(glob, c);
  return glob;
}

}  // namespace

std::string peer_glob(const run::TapId& tap) {
  if (tap.kind == run::TapKind::output) return output_glob(tap);
  if (tap.kind == run::TapKind::module) return generalised(tap.path);
  // The numbers in an operator's own name are part of it ("aten.conv2d").
  std::string glob = generalised(tap.path) + '/';
  for (const char c : tap.op) add_literal(glob, c);
  if (tap.call != 0) glob += "#*";
  if (!tap.port.empty()) glob += ':' + generalised(tap.port);
  return glob;
}

std::vector<Selector> selectors_for(const std::vector<MeasuredTap>& taps, std::size_t most) {
  std::vector<Group> groups = peers(taps);
  join(groups, most);
  std::sort(groups.begin(), groups.end(),
            [](const Group& one, const Group& other) { return one.first < other.first; });
  std::vector<Selector> selectors;
  for (Group& group : groups) {
    Selector selector;
    selector.layers.assign(group.globs.begin(), group.globs.end());
    selector.kinds = {group.kind};
    selector.dtypes = {group.dtype};
    selectors.push_back(std::move(selector));
  }
  return selectors;
}

}  // namespace parity::gate

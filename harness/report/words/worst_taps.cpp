#include "report/words/worst_taps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/words/case_figures.h"

namespace parity::report {
namespace {

struct Ranked {
  WorstTap place;
  int rank;
  double nrmse;
};

double nrmse_of(const Tap& tap) {
  const bool measured = tap.facts && !std::isnan(tap.facts->nrmse);
  return measured ? tap.facts->nrmse : std::numeric_limits<double>::infinity();
}

bool is_first(const Report& report, const WorstTap& place) {
  const auto& first = report.first_divergence;
  return first && first->case_name == place.item->name && first->tap == place.tap->id;
}

int rank_of(const Report& report, const WorstTap& place) {
  if (is_first(report, place)) return 0;
  if (is_failure(place.tap->verdict)) return 1;
  return is_fine(place.tap->verdict) ? 3 : 2;
}

bool says_something(const Tap& tap) {
  return !is_fine(tap.verdict) || (tap.facts && tap.facts->nrmse != 0);
}

}  // namespace

std::vector<WorstTap> worst_taps(const Report& report, std::size_t count) {
  std::vector<Ranked> ranked;
  for (const Case& item : report.cases) {
    for (const Tap& tap : item.taps) {
      const WorstTap place{&item, &tap};
      if (says_something(tap)) ranked.push_back({place, rank_of(report, place), nrmse_of(tap)});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& one, const Ranked& other) {
    return one.rank != other.rank ? one.rank < other.rank : one.nrmse > other.nrmse;
  });
  std::vector<WorstTap> worst;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) worst.push_back(ranked[i].place);
  return worst;
}

}  // namespace parity::report

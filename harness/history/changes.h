// What a night changed: first the environment, then verdicts, then figures beyond their own noise.
// Pure functions of nights in memory. A night without a report changes nothing and is no
// regression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/rhythm.h"
#include "history/store.h"

namespace parity::history {

struct FactChange {
  std::string key;     ///< "library.torch"; facts of the reference as "reference library.torch"
  std::string before;  ///< empty: absent
  std::string after;
  bool changes_numbers = false;  ///< where these nights ran
  std::string sentence;          ///< "the golden changed", of what a name stands for; else empty
};

/// What was tested on one night and not on another.
struct CoveredPlace {
  Place place;
  Of of = Of::tap;
};

enum class Way : std::uint8_t { worse, better, same };

struct VerdictChange {
  Place place;
  Of of = Of::tap;
  run::Verdict before = run::Verdict::untested;
  run::Verdict after = run::Verdict::untested;
  Way way = Way::same;  ///< same: both pass without a warning
};

enum class DriftKind : std::uint8_t {
  step,             ///< beyond the limit that earlier nights in this environment set
  slow,             ///< creeping over many nights in this environment
  new_environment,  ///< too few nights in this environment; beyond what any night ever had
};

struct Drift {
  Place place;
  Metric metric = Metric::nrmse;
  DriftKind kind = DriftKind::step;
  double value = 0;
  double usual = 0;        ///< median of the earlier nights; of any environment where it is new
  double limit = 0;        ///< for a slow drift, where it began
  std::size_t nights = 0;  ///< earlier ones that were looked at
};

/// A figure that moved on the night its environment changed, within what is allowed.
struct Move {
  Place place;
  Metric metric = Metric::nrmse;
  double before = 0;
  double after = 0;
};

enum class Regression : std::uint8_t { none, regressed };

struct NightChanges {
  std::optional<std::size_t> previous;  ///< the judged night before, an index into the runs
  std::size_t same_environment = 0;     ///< judged nights before it in the same environment
  std::vector<FactChange> environment;  ///< what names stand for first, then numeric switches
  std::vector<std::string> new_cases;
  std::vector<std::string> gone_cases;
  std::vector<CoveredPlace> new_places;   ///< of cases that are not new, in execution order
  std::vector<CoveredPlace> gone_places;  ///< of cases that are not gone, in execution order
  std::vector<VerdictChange> verdicts;    ///< in execution order
  std::vector<Drift> drifts;              ///< in execution order
  std::vector<Move> moves;                ///< in execution order
  Regression regression = Regression::none;
  std::string sentence;  ///< what became of the night, in words
};

/// A series with what its nights changed.
struct Timeline {
  Series series;
  std::vector<NightChanges> changes;  ///< one for each run, empty for nights that are not told
  Rhythm rhythm;
};

/// `now_s` is where the last interval of the rhythm ends; the newest `told` nights are told of.
[[nodiscard]] Timeline timeline_of(Series series, std::int64_t now_s,
                                   std::size_t told = kAllNights);

/// Where a regressed night's trouble begins: what attribution blames, else the first divergence,
/// else the first worse verdict, else the first drift, else what is no longer tested.
[[nodiscard]] std::optional<Place> trouble_of(const Run& run, const NightChanges& changes);

}  // namespace parity::history

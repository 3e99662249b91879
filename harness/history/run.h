// One night as the history keeps it: state, verdicts, figures and environments, as plain data.
// Refuses to know reports, SQLite and how any of it is shown.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "history/metrics.h"
#include "run/provenance.h"
#include "run/verdict.h"

namespace parity::history {

/// What became of a night. Only `judged` has verdicts and figures; no other state is a regression.
enum class State : std::uint8_t {
  judged,          ///< there is a report
  not_run,         ///< nothing was started
  no_judgement,    ///< exit code 2: unreadable or incompatible input
  infrastructure,  ///< exit code 3 or beyond: device, memory, disk, a killed job
};

enum class Gate : std::uint8_t { failed, passed };

/// A tap of a case, by name.
struct Place {
  std::string case_name;
  std::string tap;

  auto operator<=>(const Place&) const = default;
};

/// Figures by metric; NaN where a metric was not measured.
class Figures {
 public:
  Figures() { values_.fill(std::numeric_limits<double>::quiet_NaN()); }
  [[nodiscard]] double get(Metric metric) const { return values_[index_of(metric)]; }
  void set(Metric metric, double value) { values_[index_of(metric)] = value; }

 private:
  std::array<double, kMetricCount> values_;
};

/// What was found at a place: of the tap itself, or of the logits that it holds.
struct PlaceResult {
  Place place;
  std::string kind;   ///< "module", "op", "output"; "logits" for logits
  std::string dtype;  ///< whose rounding the figures have; empty where nothing was measured
  run::Verdict verdict = run::Verdict::untested;
  Figures figures;
  Figures noise;  ///< of the reference from itself, where it was recorded
};

/// What the names of a night's files stand for: digests in hex, empty where its report says
/// nothing.
struct Contents {
  std::string golden;  ///< of all that it recorded
  std::string inputs;  ///< of its cases
  std::string reference_weights;
  std::string candidate_weights;
  std::string policy;  ///< of its rules and bounds
};

struct CaseResult {
  std::string name;
  Gate gate = Gate::failed;
};

/// A tap that introduces more error than rounding explains.
struct Blamed {
  Place place;
  double introduced_nrmse = 0;
  double share = 0;
};

struct Run {
  std::string series;
  std::int64_t time_s = 0;  ///< since 1970, UTC
  State state = State::not_run;
  std::string digest;  ///< of what was added: the same thing is kept once
  std::optional<int> exit_code;
  std::string reason;  ///< in words: the report's first reason, or why there is none
  std::string link;    ///< to the report: a URL, or a path as seen from the dashboard's folder

  // Of a judged run alone.
  Gate gate = Gate::failed;
  std::string model;
  std::string policy;
  Contents contents;
  run::Provenance reference;
  run::Provenance candidate;
  std::optional<Place> first_divergence;
  std::vector<Blamed> blame;
  std::vector<CaseResult> cases;
  std::vector<PlaceResult> taps;  ///< in the report's order
  std::vector<PlaceResult> logits;
  std::int64_t suspect = 0;  ///< taps
  std::int64_t failed = 0;   ///< taps
  double seconds = 0;        ///< wall clock of the comparison
};

/// "judged", "not run", "no judgement", "infrastructure".
[[nodiscard]] const char* text(State state);

/// The facts that make up an environment: all but groups "run." and "capture.", which differ from
/// night to night and mean nothing. Sorted by key.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment_facts(
    const run::Provenance& provenance);

}  // namespace parity::history

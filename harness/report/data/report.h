// The data of a report: facts, verdicts and environments, without any way of showing them.
// Every format in this folder is made from this alone; judgement happens elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/logits_facts.h"
#include "report/data/blame.h"
#include "report/data/decode.h"
#include "report/data/name_mapping.h"
#include "report/data/noise.h"
#include "report/data/place.h"
#include "report/data/tap.h"
#include "report/data/truth.h"
#include "run/provenance.h"
#include "run/tap.h"
#include "run/verdict.h"

namespace parity::report {

enum class Result : std::uint8_t { fail, pass };

/// Logits of one output tap.
struct Logits {
  run::TapId id;
  compare::LogitsComparison facts;
  run::Verdict verdict = run::Verdict::untested;
  std::vector<std::string> reasons;
  std::optional<LogitsTruth> truth;
  std::string rule;  ///< of the policy, which judged it; empty where none did
};

/// Whether a case is the reference's own run once more, on the same device: then no bound says that
/// other bits are fine.
enum class SameRun : std::uint8_t { no, yes };

struct Case {
  std::string name;
  Result result = Result::fail;  ///< of this case alone
  std::vector<Tap> taps;         ///< in the reference's execution order, additional taps last
  std::vector<Logits> logits;
  std::vector<std::string> notes;
  std::string untested_output;  ///< why no output of the model was compared; empty when one was
  std::optional<Decode> decode = {};  ///< absent where no token was decoded
  std::string recorded_as = {};       ///< name that rules ask for; empty: as `name`
  SameRun same_run = SameRun::no;
  std::vector<LeftOutTap> left_out = {};
};

/// The name of the case as rules of a policy see it.
[[nodiscard]] inline const std::string& recorded_name(const Case& item) {
  return item.recorded_as.empty() ? item.name : item.recorded_as;
}

/// What the name of a side's file stands for: digests in hex, empty where nothing is known.
struct SideDigests {
  std::string recording;  ///< of the cases, taps and values of a golden, not of when it was made
  std::string inputs;     ///< of a golden's cases and their inputs
  std::string weights;
};

struct Side {
  std::string file;  ///< golden's path; empty for a replay on this host
  run::Provenance provenance;
  SideDigests digests = {};
};

/// Whether a tap without the figure that a bound is on stays untested.
enum class Needed : std::uint8_t { always, where_measured };

struct BoundText {
  std::string scope;  ///< "float32", "logits"
  std::string metric;
  double warn = 0;
  double fail = 0;
  std::string origin;
  std::string rule = {};  ///< that the bound belongs to
  Needed needed = Needed::always;
};

struct Totals {
  std::uint64_t taps = 0;
  std::uint64_t passed = 0;
  std::uint64_t warned = 0;
  std::uint64_t failed = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

struct Timing {
  double total_s = 0;
  double compare_s = 0;
  double forced_s = 0;   ///< forward passes of the forced replay, capture and comparison included
  double forward_s = 0;  ///< 0 for an offline comparison
};

/// A comparison of a device with itself proves nothing about another vendor.
enum class Devices : std::uint8_t { different, same };

struct Report {
  Result result = Result::fail;
  int exit_code = 1;
  Devices devices = Devices::different;
  std::vector<std::string>
      reasons;  ///< of the overall verdict; empty only when everything is identical
  std::string model_file;
  std::string model_kind;
  Side reference;
  Side candidate;
  std::vector<run::Difference> environment_diff;
  std::string policy_name;
  std::string policy_digest;  ///< of its rules and bounds, in hex; empty where it is not known
  std::vector<BoundText> policy_bounds;  ///< those that had a say
  /// Of optional bounds in rules that judged, which found nothing of it to judge.
  std::vector<std::string> unmeasured_metrics;
  std::optional<Place> first_divergence;
  std::optional<Attribution> attribution;    ///< absent without a forced replay
  std::optional<TruthSummary> truth;         ///< absent without a truth
  std::optional<NoiseSummary> noise;         ///< absent where no case was repeated
  std::optional<NameMapping> name_map = {};  ///< absent without a name map
  std::vector<Case> cases;
  std::vector<std::string> notes;
  Totals totals;
  Timing timing;
  std::string asked_dtype;  ///< that the candidate was to run in, other than the golden's
  std::string truth_file;   ///< golden in which a truth was looked for; empty without one
  std::string repro;        ///< the command that made this report
  /// Why --repro could not be written though there was something; of the process that ran, so the
  /// one thing that no JSON holds.
  std::string reproducer_failure;
};

}  // namespace parity::report

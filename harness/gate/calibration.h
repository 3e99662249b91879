// Bounds from measurement: how far runs that are all right were apart becomes rules of a policy,
// with what each number stands on. Runs and compares nothing, and writes no text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/metrics.h"
#include "gate/rule_book.h"
#include "run/noise.h"
#include "run/tap.h"
#include "tensor/dtype.h"

namespace parity::gate {

/// What was changed between the reference's run and another one.
enum class Variation : std::uint8_t { recording, replay, threads, sdpa, batch, repeat, truth };
[[nodiscard]] std::string_view name(Variation variation);

struct VariedRun {
  Variation variation = Variation::recording;
  std::string label;    ///< "amd.h5", "2 threads"
  std::string made_on;  ///< device and versions
};

/// How far one run was from the reference at one tap of one case, or in its logits.
struct Spread {
  std::size_t run = 0;  ///< place in CalibrationInput::runs
  std::string case_name;
  run::TapId tap;
  tensor::DType dtype = tensor::DType::float32;  ///< whose rounding it has, see TapQuery
  std::uint64_t elements = 0;                    ///< of logits: positions
  std::vector<run::NoiseFigure> figures;         ///< empty where every bit is the same
  /// Of metrics that not every comparison measures, see is_late: those that this one did.
  std::vector<run::NoiseFigure> late = {};
  std::int64_t repeats = 1;  ///< runs of which the figures are the worst; they must differ
  std::optional<double> truth_factor;  ///< least one that lets it pass; nullopt without a truth
  std::string unboundable;             ///< why no bound could let it pass; empty where one can
};

struct CalibrationInput {
  std::string reference;  ///< file, device and versions
  std::vector<VariedRun> runs;
  std::vector<Spread> taps;
  std::vector<Spread> logits;
};

/// Whether a bound may be wider than the built-in policy's.
enum class Width : std::uint8_t { as_measured, built_in_at_most };

inline constexpr std::size_t kDefaultRules = 16;

struct CalibrationChoice {
  std::string name;                   ///< of the policy
  std::optional<double> headroom;     ///< nullopt: by the number of runs, see default_headroom
  std::size_t rules = kDefaultRules;  ///< for taps, the last one of each dtype not counted
  Width width = Width::as_measured;
};

/// The largest of a metric over the runs of one variation.
struct VariationFigure {
  Variation variation = Variation::recording;
  double worst = 0;
};

/// What one bound stands on.
struct BoundEvidence {
  double measured = 0;            ///< the worst of all
  const Spread* worst = nullptr;  ///< of the input; nullptr where nothing differs
  std::vector<VariationFigure> variations;
  std::optional<Bound> built_in;  ///< of the same metric and dtype
  bool is_wider = false;          ///< than the built-in one
  std::string remark;             ///< why the limits are not those of the headroom; may be empty
};

/// What one rule stands on. `bounds` is in the order of the rule's.
struct RuleEvidence {
  std::size_t taps = 0;   ///< that it judges, each name once; of the last rule of a dtype: all
  std::int64_t runs = 0;  ///< of a case, that differ from the reference and from each other
  double headroom = 1;    ///< fail over measured
  std::vector<BoundEvidence> bounds;
  std::optional<double> truth_factor;  ///< the largest that was needed
  /// Metrics without a bound, since what was measured leaves none that could fail, with the worst.
  std::vector<std::pair<std::string, double>> left_out;
  /// Metrics without a bound, since no run that differs measured them.
  std::vector<std::string> not_measured;
};

struct Untestable {
  std::string case_name;
  run::TapId tap;
  std::string why;
};

struct Calibration {
  RuleBook book;                     ///< its rules alone, to stand in front of the built-in ones
  std::vector<RuleEvidence> taps;    ///< by rule
  std::vector<RuleEvidence> logits;  ///< by rule
  std::vector<Untestable> untestable;
  std::vector<Untestable> beyond;  ///< measured beyond a limit, which the built-in policy set
};

/// Throws Error(usage) where nothing differs, so that there is nothing to measure, and where no tap
/// can be bounded. The result points into `input`.
[[nodiscard]] Calibration calibrate(const CalibrationInput& input, const CalibrationChoice& choice);

/// How many times the largest of `runs` measured figures a limit has to be, so that of further runs
/// about one in a thousand is beyond. The largest of n lies near the n/(n+1) quantile; errors are
/// taken as log-normal with a standard deviation of a factor of two:
///
///     2^(z(0.999) - z(n/(n+1))), at least 1.5
[[nodiscard]] double default_headroom(std::int64_t runs);

}  // namespace parity::gate

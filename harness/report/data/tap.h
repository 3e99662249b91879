// One tap of a report: what was measured there and how it was judged. Plain data.
// Knows neither how it is shown nor which bounds there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/facts.h"
#include "report/data/truth.h"
#include "report/words/outcome.h"
#include "run/noise.h"
#include "run/recording.h"
#include "run/tap.h"
#include "run/verdict.h"

namespace parity::report {

/// Of a tap that was compared on stored rows: what digests say about the rest of it.
enum class UnseenRows : std::uint8_t { none, equal, differ };

struct RowsCompared {
  std::uint64_t compared = 0;
  std::uint64_t of = 0;
};

struct Tap {
  run::TapId id;
  std::string dtype;  ///< reference's, or the candidate's when the reference has no such tap
  std::string candidate_dtype;  ///< empty when equal
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 0;
  Outcome outcome = Outcome::not_compared;
  run::Verdict verdict = run::Verdict::untested;
  std::vector<std::string> reasons;
  std::optional<compare::TensorComparison> facts;  ///< absent when nothing could be measured
  std::optional<compare::ShapeMismatch> shapes;    ///< outcome shape_differs
  /// The same facts when everything before the tap was the reference's: what the layer adds itself.
  std::optional<compare::TensorComparison> introduced;
  std::optional<TapTruth> truth;
  std::optional<run::TapNoise> noise;  ///< of the reference; absent where it was not recorded
  std::string bounds_dtype;  ///< whose bounds it was judged by; empty where nothing was measured
  std::string
      rule;  ///< of the policy, which judged it; empty where none did or nothing was measured
  run::Role role = run::Role::activation;
  /// Coarsest floating dtype of the reference's taps before it; empty where there is none.
  std::string inherited_dtype = {};
  std::optional<RowsCompared> rows = {};  ///< absent where not only rows were compared
  UnseenRows unseen_rows = UnseenRows::none;
  /// What the candidate calls it, or the taps that were put together for it, by a name map; empty
  /// where it has the same name.
  std::vector<std::string> candidate_taps = {};
  std::string not_captured = {};  ///< why the candidate has no such tap, where it said so
};

/// A tap of the reference that was not to be compared: globs left it out, or a row of a batch has
/// no part in it. Rules of a policy may be for it all the same.
struct LeftOutTap {
  run::TapId id;
  std::string dtype;
  std::string inherited_dtype;
  run::Role role = run::Role::activation;
  std::optional<tensor::Shape> shape = {};  ///< absent in reports of older versions
};

}  // namespace parity::report

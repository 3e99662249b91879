// The part of a report's data that says which layers and operators create the difference.
// Plain data; found in pipeline/attribute/ and judged by the gate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/tap.h"

namespace parity::report {

/// Of one operator against its float64 value from the inputs it was given.
struct OwnError {
  std::string not_judged;  ///< why there are no figures; else empty
  double nrmse = 0;
  double explained = 0;
};

struct OperatorLine {
  std::string name;    ///< "aten.softmax"
  std::string source;  ///< "model.py:42"; empty where the model file does not say
  OwnError own_error;
};

/// A tap that introduces more than rounding explains.
struct Blame {
  std::string case_name;
  run::TapId tap;
  double introduced_nrmse = 0;
  double max_error_over_rms = 0;
  double explained_nrmse = 0;
  double explained_max_error_over_rms = 0;
  double share = 0;                     ///< of all that is unexplained
  std::vector<OperatorLine> operators;  ///< behind the tap before it; of the first blamed tap alone
  std::optional<std::size_t> culprit;   ///< the operator that computes something else
  std::string operators_sentence;       ///< the finding about them; empty without operators
};

/// What taps of equal names, numbers aside, introduce together.
struct Source {
  std::string layers;
  std::uint64_t taps = 0;
  double nrmse = 0;  ///< the largest of them
  double share = 0;  ///< of the sum of squares over all taps
};

/// Which layers create the difference, from a forced replay.
struct Attribution {
  std::string finding;  ///< "none", "culprit" or "no_single_culprit"
  std::string sentence;
  std::vector<Blame> blame;     ///< largest first
  std::vector<Source> sources;  ///< largest first
};

}  // namespace parity::report

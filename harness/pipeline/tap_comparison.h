// One tap of two runs: brings both sides to the same stored part, compares, and has the gate judge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/compare_logits.h"
#include "compare/facts.h"
#include "compare/sides.h"
#include "gate/gate.h"
#include "gate/rule_book.h"
#include "pipeline/common_part.h"
#include "report/report.h"
#include "run/recording.h"

namespace parity::pipeline {

/// What the outputs of a case are: each stands for itself, or those behind the first are the steps
/// of a decode, whose averages are judged together (pipeline/decode_facts.h) and nowhere else.
enum class Passes : std::uint8_t { one, prompt_and_steps };

/// How taps are compared; but for the passes the same for every tap of a report.
struct CompareChoice {
  gate::RuleBook policy;
  /// A dtype that the candidate was asked to run in, other than the golden's: taps in it are judged
  /// by the bounds of the coarser dtype. Any other difference of dtypes is refused.
  std::optional<tensor::DType> asked_dtype;
  int worst_count = 10;
  int threads = 1;
  Passes passes = Passes::one;
  std::string case_name = {};  ///< of the taps: rules may ask for it
};

/// One thread per processor.
[[nodiscard]] int compare_threads();

/// What came of one tap: the row of the report, and logits where the tap holds them.
struct ComparedTap {
  report::Tap tap;
  std::optional<report::Logits> logits;
};

/// Facts and verdict of one aligned pair. A side that stored rows is compared on those rows; a side
/// that stored a digest alone, by digest. `truth`: the same tap of a run in higher precision,
/// nullptr where there is none.
[[nodiscard]] ComparedTap compare_tap(compare::Reference<TapData> reference,
                                      compare::Candidate<TapData> candidate,
                                      const CompareChoice& choice, const TapData* truth = nullptr);

/// The row of a tap that only one side has.
[[nodiscard]] report::Tap unpaired_tap(const run::TapRecord& record, gate::Unpaired side);

}  // namespace parity::pipeline
